/** What an error of a client says. */
export function messageOf(error: unknown): string {
  const { message } = (error ?? {}) as { message?: unknown };
  return typeof message === 'string' ? message : 'The request failed.';
}
