import 'server-only';

interface Answer {
  readonly data?: unknown;
  readonly error?: unknown;
  readonly response: Response;
}

/** Passes an answer on. What isn't an answer of the service's is a 502. */
export function passOn({ data, error, response }: Answer): Response {
  return Response.json(data ?? error, { status: response.status === 599 ? 502 : response.status });
}

/** In the service's shape, so that the page reads every refusal alike. */
export function refuse(status: number, message: string): Response {
  return Response.json({ status, code: 'APP', message }, { status });
}
