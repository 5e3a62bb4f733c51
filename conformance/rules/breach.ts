/** Turns faults that contract/ finds into breaches, and recorded bodies into the form that contract/ reads. */
import type { SentBody } from '../../contract/body.ts';
import type { FoundFault } from '../../contract/faults.ts';
import { maskHeader, maskNamed, maskPointer } from '../../contract/mask.ts';
import { pointerKeys } from '../../contract/pointer.ts';
import { type HeaderList, headerValue, type RecordedBody } from '../../traffic/exchange.ts';
import type { Breach, Place } from './rule.ts';

type Side = 'request' | 'response';

const places = {
  request: { path: 'request.path', query: 'request.query', header: 'request.headers', body: 'request.body' },
  // A reply has only two of these places.
  response: { path: 'response.body', query: 'response.body', header: 'response.headers', body: 'response.body' },
} as const satisfies Record<Side, Record<FoundFault['in'], Place>>;

export function toBreach(side: Side, { in: where, pointer, rule, message, value }: FoundFault): Breach {
  const breach = { in: places[side][where], pointer: maskPointer(pointer), rule, message };
  return value === undefined ? breach : { ...breach, value: mask(where, pointerKeys(pointer), value) };
}

function mask(where: FoundFault['in'], names: readonly string[], value: unknown): unknown {
  const [name = ''] = names;
  return where === 'header' && typeof value === 'string' ? maskHeader(name, value) : maskNamed(names, value);
}

/** Undefined if the recording lacks the body. */
export function sentBody(headers: HeaderList, body: RecordedBody): SentBody | undefined {
  if (body.kind === 'unrecorded') return undefined;
  return {
    contentType: headerValue(headers, 'content-type') ?? null,
    contentEncoding: headerValue(headers, 'content-encoding') ?? null,
    content: body.kind === 'text' ? body.text : { unreadable: body.why },
  };
}
