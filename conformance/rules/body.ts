/** What holds for the text of any body, before a schema looks at it. */
import { parse } from 'content-type';
import type { HeaderList, RecordedBody } from '../exchange.ts';
import { headerValue } from '../exchange.ts';
import type { Breach } from './rule.ts';

type Side = 'request' | 'response';

export type ReadBody =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'none' }
  /** Not in the recording. */
  | { readonly kind: 'unrecorded' }
  | { readonly kind: 'broken'; readonly breach: Breach };

/** Reads a JSON body, or says what keeps it from being one. */
export function readJson(side: Side, headers: HeaderList, body: RecordedBody): ReadBody {
  if (body.kind === 'unrecorded') return { kind: 'unrecorded' };
  if (body.kind === 'text' && body.text === '') return { kind: 'none' };
  const type = headerValue(headers, 'content-type');
  if (!isJson(type)) {
    const value = type === undefined ? {} : { value: type };
    const message = type === undefined ? 'is required, and is application/json' : 'must be application/json';
    const breach = { in: `${side}.headers`, pointer: '/Content-Type', rule: 'media-type', message, ...value } as const;
    return { kind: 'broken', breach };
  }
  if (body.kind === 'unreadable') return notJson(side, body.why);
  if (isTooDeep(body.text)) return notJson(side, `is nested more than ${depthLimit} levels deep`);
  try {
    return { kind: 'json', value: JSON.parse(body.text) };
  } catch (error) {
    // The position alone: the parser's own message quotes the body.
    const position = error instanceof Error ? /position (\d+)/.exec(error.message)?.[1] : undefined;
    return notJson(side, `is not valid JSON${position === undefined ? '' : ` (at position ${position})`}`);
  }
}

/** Nothing of the contract comes near it; what recurses would end the stack at some thousands. */
const depthLimit = 256;

function isTooDeep(text: string): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') isInString = !isInString;
    else if (isInString) at += character === '\\' ? 1 : 0;
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    if (depth > depthLimit) return true;
  }
  return false;
}

function notJson(side: Side, message: string): ReadBody {
  return { kind: 'broken', breach: { in: `${side}.body`, pointer: '', rule: 'not-json', message } };
}

function isJson(text: string | undefined): boolean {
  try {
    const { type, parameters } = parse(text ?? '');
    return type === 'application/json' && (parameters['charset'] ?? 'utf-8').toLowerCase() === 'utf-8';
  } catch {
    return false;
  }
}
