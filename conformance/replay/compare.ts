/** Compares a recorded reply with ours: what agrees, what differs, and what can be learnt from it. */
import { isSecret } from '../../contract/mask.ts';
import { pointerKeys, pointerSegment } from '../../contract/pointer.ts';
import { type HeaderList, headerValue, type RecordedBody } from '../../traffic/exchange.ts';
import { compareMoney, isMoney } from './amounts.ts';
import type { Difference } from './difference.ts';
import { isName, namesIn, typeOfId } from './learnt.ts';
import { compareLists, endsOtherwise, pageEnds } from './lists.ts';
import { hasForm } from './masked.ts';
import { isTime } from './times.ts';
import { add, type Comparison, describe, type Kind, kindOf, parse, parseText, type Walk } from './walk.ts';

/** The parts of a reply that are compared. */
export interface Reply {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: RecordedBody;
}

/**
 * Compares two replies, and learns the names in the recorded one. If the status differs, that is the only difference
 * reported.
 */
export function compareReplies(recorded: Reply, ours: Reply, comparison: Comparison): Difference[] {
  if (recorded.status !== ours.status) return [statusDifference(recorded, ours)];
  const [was, is] = [parse(recorded.body), parse(ours.body)];
  const walk: Walk = {
    ...comparison,
    status: recorded.status,
    recordedBody: was,
    beside: namesIn(was),
    found: [],
    compare: compareValues,
  };
  compareHeaders(recorded.headers, ours.headers, walk);
  if (recorded.body.kind !== 'text') return walk.found;
  if (was === undefined || is === undefined) {
    if ((was === undefined) !== (is === undefined)) add(walk, '', was === undefined ? 'extra' : 'missing', was, is);
    return walk.found;
  }
  if (recorded.status >= 400) compareRefusals(was, is, walk);
  else compareValues(was, is, '', walk);
  return walk.found;
}

function statusDifference(recorded: Reply, ours: Reply): Difference {
  const [was, is] = [recorded, ours].map(({ status, body }) => {
    const { code, reason } = (parse(body) ?? {}) as { code?: unknown; reason?: unknown };
    return [status, code, reason].filter((part) => part !== undefined && part !== null).join(' ');
  });
  const message = `is ${was} in the recording, and ${is} here`;
  const statuses = { recorded: recorded.status, ours: ours.status };
  return { in: 'response.status', pointer: '', rule: 'replay/status', message, ...statuses };
}

/** A refusal's status, code and reason are compared. Its texts for people aren't. */
function compareRefusals(was: unknown, is: unknown, walk: Walk): void {
  const [before, now] = [was, is] as Record<string, unknown>[];
  for (const name of ['code', 'reason'] as const) {
    if (before?.[name] === now?.[name]) continue;
    const rule = name === 'code' ? 'replay/code' : 'replay/reason';
    walk.found.push(describe('response.body', `/${name}`, rule, before?.[name], now?.[name]));
    // All other differences follow from this one.
    return;
  }
  compareValues(withoutTexts(was), withoutTexts(is), '', walk);
}

/** A refusal without its texts for people, and without details that contain only such texts. */
function withoutTexts(value: unknown): unknown {
  if (kindOf(value) !== 'object') return value;
  const { message: _, details, ...rest } = value as Json;
  const hasFacts = kindOf(details) !== 'object' || Object.keys(details as Json).some((name) => !texts.includes(name));
  return details === undefined || !hasFacts ? rest : { ...rest, details };
}

const texts: readonly string[] = ['message', 'hint'];

/** Compares two values in the same place. */
function compareValues(was: unknown, is: unknown, pointer: string, walk: Walk): void {
  const [before, now] = [kindOf(was), kindOf(is)];
  if (before !== now) add(walk, pointer, 'type', was, is);
  else if (Array.isArray(was)) compareLists(was, is as unknown[], pointer, walk);
  else if (before === 'object') compareObjects(was as Json, is as Json, pointer, walk);
  else if (before === 'string') compareTexts(was as string, is as string, pointer, walk);
  else if (was !== is && before !== 'number') add(walk, pointer, 'value', was, is);
  else if (was !== is && (walk.exact || !isMoney(pointer, walk))) add(walk, pointer, 'amount', was, is);
}

type Json = Readonly<Record<string, unknown>>;

function compareObjects(was: Json, is: Json, pointer: string, walk: Walk): void {
  const passedOver = endsOtherwise(was, is) ? pageEnds : [];
  for (const name of new Set([...Object.keys(was), ...Object.keys(is)])) {
    if (passedOver.includes(name)) continue;
    const at = `${pointer}/${pointerSegment(name)}`;
    if (texts.includes(name) && walk.status >= 400) continue;
    if (!Object.hasOwn(is, name)) add(walk, at, 'missing', was[name], undefined);
    else if (!Object.hasOwn(was, name)) add(walk, at, 'extra', undefined, is[name]);
    else compareValues(was[name], is[name], at, walk);
  }
  if (!walk.exact) compareMoney(was, is, pointer, walk);
}

/** Compares two texts. If only a name differs, the new name is learnt. */
function compareTexts(was: string, is: string, pointer: string, walk: Walk): void {
  const isSecretPlace = pointerKeys(pointer).some(isSecret);
  if (!isSecretPlace && is === walk.learnt.inPlace(was, walk.beside)) {
    if (isName(was)) walk.learnt.note(was, is, walk.beside);
    return;
  }
  if (compareInner(was, is, pointer, walk)) return;
  const kind = isSecretPlace ? (hasForm(was, is) ? undefined : 'form') : differenceOf(was, is, pointer, walk);
  if (kind === undefined) walk.learnt.note(was, is, walk.beside);
  else add(walk, pointer, kind, was, is);
}

/** How two texts differ. @returns undefined if both are allowed */
function differenceOf(was: string, is: string, pointer: string, walk: Walk): Kind | undefined {
  const { learnt, sent, contract, operation, status, beside } = walk;
  if (contract.isListed({ operation, status, pointer, body: () => walk.recordedBody })) return 'value';
  if (isTime(was) !== isTime(is)) return 'form';
  if (isTime(was)) return walk.exact && !walk.times.agree(was, is) ? 'time' : undefined;
  if (typeOfId(was) !== typeOfId(is)) return 'form';
  if (isName(was) && (learnt.find(was, beside) !== undefined || learnt.isTaken(is))) return 'reference';
  // A text of the request must come back here if it came back in the recording, and only then.
  return sent.has(was) || sent.has(is) ? 'value' : undefined;
}

/** The payload to sign is JSON inside a text, so its content is compared. @returns whether the texts are JSON */
function compareInner(was: string, is: string, pointer: string, walk: Walk): boolean {
  if (!was.startsWith('{') || !is.startsWith('{')) return false;
  const [before, now] = [parseText(was), parseText(is)];
  if (before === undefined || now === undefined) return false;
  const inner: Walk = { ...walk, operation: undefined, found: [] };
  compareValues(before, now, '', inner);
  const [first] = inner.found;
  // The pointer ends at the text, because it can't point inside one.
  if (first !== undefined) add(walk, pointer, 'inner', first.recorded ?? was, first.ours ?? is, first.pointer);
  walk.learnt.note(was, is, walk.beside);
  return true;
}

/** Compares the headers that the contract declares for this reply. A recording without header lines isn't compared. */
function compareHeaders(was: HeaderList, is: HeaderList, walk: Walk): void {
  const { operation, contract, status, learnt, exact } = walk;
  if (operation === undefined || was.length === 0) return;
  for (const { name } of contract.responseHeaders(operation, status)) {
    const [before, now] = [headerValue(was, name), headerValue(is, name)];
    if (before === now || (before !== undefined && learnt.inPlace(before) === now)) continue;
    const isCount = [before, now].every((value) => value !== undefined && /^\d+$/.test(value));
    if (isCount && !exact) continue;
    const rule = before === undefined ? 'extra' : now === undefined ? 'missing' : 'value';
    walk.found.push(describe('response.headers', `/${pointerSegment(name)}`, `replay/${rule}`, before, now));
  }
}
