import { maskUrl } from '../../../contract/mask.ts';
import type { RefusedCaller, RefusedCredentials, RefusedReason } from '../../../generated/controlTypes.ts';
import { type ExchangeRequest, splitAddress } from '../../exchange/exchange.ts';
import { type Clock, toTimestamp } from '../tools/clock.ts';
import type { RequestFacts } from './observe.ts';

/** Why credentials opened no platform, without a secret. */
export interface Refused {
  readonly reasonForOperator: RefusedReason;
  /** As the caller sent it, so it may be any text. */
  readonly clientId?: string | undefined;
}

/** What the operator reads. The client gets another text, which tells less. */
const words: Readonly<Record<RefusedReason, string>> = {
  MISSING: 'The request had no Authorization header. Send the client id and secret of a token as HTTP Basic.',
  WRONG_SCHEME:
    "The scheme of the Authorization header isn't that of the operation: Basic for a platform, Bearer for an agent.",
  MALFORMED:
    'The Authorization header has the right scheme, but not its form: Basic and base64 of clientId:clientSecret, or Bearer and an access token.',
  UNKNOWN_CLIENT_ID:
    'No token has this client id. It is mistyped, belongs to another sandbox, or was deleted with its platform.',
  DELETED_TOKEN: 'A token with this client id existed. It was deleted, or its platform was reset or deleted.',
  WRONG_SECRET: 'The client id exists, but the secret is wrong.',
  UNKNOWN_ACCESS_TOKEN:
    'No agent has this access token. It was replaced by a newer one, or its agent was deleted. Redeem a new device code.',
  UNKNOWN_DEVICE_CODE: 'No agent has this device code. Create a new one.',
};

/** A long client id isn't shown, because it may be a secret. */
const tooLong =
  'No token has this client id. It is longer than a client id, so it may be a secret in the wrong place, and is left out here.';

interface RefusedRequest {
  readonly request: Pick<ExchangeRequest, 'method' | 'address'>;
  readonly facts: Pick<RequestFacts, 'refused'>;
}

/**
 * Counts the requests that belong to no platform, for the operator. It is in the memory of the process, like the
 * journal, and bounded: anybody who reaches the port can add to it.
 */
export interface Refusals {
  /** @param raw the request. Its facts get the reason, for the log. */
  note(refused: Refused, raw: RefusedRequest, status: number): void;
  read(): RefusedCredentials;
}

/**
 * The maximum number of client ids that exist, and of those that don't. They are apart, so that somebody who tries
 * out names doesn't displace a user who mistyped a secret.
 */
export const refusalBounds = { existing: 64, unknown: 64 } as const;

/** The longest client id of a sandbox has 32 characters. A longer one may be a secret in the wrong place. */
const clientIdLimit = 32;
const pathLimit = 200;

export function createRefusals(
  clock: Clock,
  bounds: Record<keyof typeof refusalBounds, number> = refusalBounds,
): Refusals {
  const existing = new Map<string, RefusedCaller>();
  const unknown = new Map<string, RefusedCaller>();
  // One line per reason and kind of refusal, so it needs no bound.
  const nameless = new Map<string, RefusedCaller>();
  let others = 0;

  const makeRoom = (callers: Map<string, RefusedCaller>, limit: number): void => {
    if (callers.size < limit) return;
    // The callers are in the order of their last request, so of those with the same count this is the oldest.
    let least: [string, RefusedCaller] | undefined;
    for (const one of callers) if (least === undefined || one[1].count < least[1].count) least = one;
    if (least === undefined) return;
    callers.delete(least[0]);
    others += least[1].count;
  };
  return {
    note({ reasonForOperator: reason, clientId }, { request, facts }, status) {
      const { method, address } = request;
      facts.refused = reason;
      const exists = reason === 'WRONG_SECRET' || reason === 'DELETED_TOKEN';
      const isHidden = clientId !== undefined && !exists && clientId.length > clientIdLimit;
      const shown = clientId === undefined || isHidden ? '' : printable(maskUrl(clientId)).slice(0, 2 * clientIdLimit);
      const callers = shown === '' ? nameless : exists ? existing : unknown;
      const key = shown === '' ? `${reason} ${isHidden} ${status}` : `${reason} ${shown}`;
      const known = callers.get(key);
      if (known === undefined && shown !== '') makeRoom(callers, exists ? bounds.existing : bounds.unknown);
      const now = toTimestamp(clock.now());
      // Put in again, so that the last is the latest.
      callers.delete(key);
      callers.set(key, {
        ...(shown === '' ? {} : { clientId: shown }),
        reason,
        message: isHidden ? tooLong : words[reason],
        count: (known?.count ?? 0) + 1,
        firstAt: known?.firstAt ?? now,
        lastAt: now,
        last: { method: method.slice(0, 16), path: showPath(address), status },
      });
    },
    read() {
      const all = [...nameless.values(), ...unknown.values(), ...existing.values()];
      // All times have the same form, so their texts sort like the times.
      return {
        data: all.sort((one, other) => (one.lastAt < other.lastAt ? 1 : one.lastAt > other.lastAt ? -1 : 0)),
        others,
      };
    },
  };
}

function showPath(address: string): string {
  // Masked before it is cut, because a secret that is cut has lost its form. An address has at most 16 KiB.
  return printable(maskUrl(splitAddress(address).path)).slice(0, pathLimit);
}

/** Replaces what could change a terminal or a page: control characters, and marks that reverse the direction of text. */
function printable(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd');
}
