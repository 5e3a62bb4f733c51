import 'server-only';

interface Answer {
  readonly data?: unknown;
  readonly error?: unknown;
  readonly response: Response;
}

/** Passes an answer of the service on. If the service gave no answer, it returns 502. */
export function passOn({ data, error, response }: Answer): Response {
  return Response.json(data ?? error, { status: response.status === 599 ? 502 : response.status });
}

/** Returns an error in the service's shape, so that the page reads all errors in the same way. */
export function refuse(status: number, message: string): Response {
  return Response.json({ status, code: 'APP', message }, { status });
}
