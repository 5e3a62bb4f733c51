import { requestBounds } from '../../../contract/bounds.ts';
import type { OperationId } from '../../../generated/operations.ts';
import type { ExchangeRequest, SentBody } from '../../exchange/exchange.ts';
import { CredentialsRefused, type Identify } from '../steps/authenticate.ts';
import type { Journal } from '../telemetry/journal.ts';
import type { Refusals } from '../telemetry/refusals.ts';
import type { NoteStray } from '../transport/request.ts';

export interface StrayParts {
  readonly identify: Identify;
  readonly journal: Journal;
  readonly refusals: Refusals;
}

/**
 * Notes the requests of apps that were refused before an operation got them: wrong paths, methods, addresses. With valid
 * credentials they are in the journal of their platform. Without, they are counted for the operator.
 */
export function createNoteStray({ identify, journal, refusals }: StrayParts): NoteStray {
  return async (request, facts, reply) => {
    const note = journal.open({ operationId: facts.operation as OperationId | null, request });
    try {
      const { platformId } = await identify(request.headers);
      facts.platformId = platformId;
      const body = await readSome(request);
      return await journal.close({ ...note, platformId, ...(body && { body }) }, reply);
    } catch (error) {
      if (error instanceof CredentialsRefused) refusals.note(error, { request, facts }, reply.status);
      // If the store fails, the refusal is still right.
      return reply;
    }
  };
}

/** The body, if it isn't larger than that of an operation may be. Nobody needs it but the reader of the journal. */
async function readSome({ body, headers }: ExchangeRequest): Promise<Uint8Array | undefined> {
  const limit = requestBounds.bytes;
  // A client that asks first is refused before it sends its body (RFC 9110, 10.1.1).
  if (headers.get('expect') !== null) return undefined;
  if (body === null || (body.length !== null && body.length > limit)) return undefined;
  const bytes = await readOrGiveUp(body, limit);
  return bytes.length > limit ? undefined : bytes;
}

function readOrGiveUp(body: SentBody, limit: number): Promise<Uint8Array> {
  return body.read(limit).catch(() => new Uint8Array());
}
