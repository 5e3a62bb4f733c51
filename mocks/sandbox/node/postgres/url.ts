/** The location of a database for people, without user and password. */
export function describePostgresUrl(url: string): string {
  const { hostname, port, pathname, searchParams } = new URL(url);
  const host = searchParams.get('host') ?? (decodeURIComponent(hostname) || 'localhost');
  return `${decodeURIComponent(pathname.slice(1)) || "the user's own database"} on ${host}${port && `:${port}`}`;
}
