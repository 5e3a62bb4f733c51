/** The list of rules, and the form of a breach. */
import type { Basis } from '../basis.ts';

/** Every rule of our own, and its text. The schema's rules are `schema/<keyword>`: see {@link describeRule}. */
export const rules = {
  'malformed-address': 'Path and query are percent-encoded UTF-8.',
  'undocumented-path': 'An operation has the path.',
  'undocumented-method': 'The path has the method.',
  'undocumented-parameter': 'The operation has the query parameter.',
  'repeated-parameter': "A query parameter that isn't a list is given once.",
  'undocumented-status': 'The operation or the transport declares the status.',
  'media-type': "A body is application/json in UTF-8. A request body isn't compressed.",
  'body-too-large': 'A request body has at most 1 MiB.',
  'missing-body': 'If the contract has a body, the message has one.',
  'unexpected-body': 'If the contract has no body, the message has none.',
  'not-json': 'A body is JSON.',
  'unkept-value': 'Numbers and texts can be stored without a change.',
  'unrecorded-body': 'The recording has every body that was sent (with --require-bodies).',
} as const;

/** What a replay compares. These rules compare two replies; their basis is that of the field. */
const replayRules = {
  'replay/status': 'A reply has the recorded status.',
  'replay/code': 'A refusal has the recorded code.',
  'replay/reason': 'A refusal has the recorded reason.',
  'replay/missing': 'A reply has every field of the recorded one.',
  'replay/extra': 'A reply has no field that the recorded one lacks.',
  'replay/type': 'A field has the recorded type.',
  'replay/value': 'A listed word, a boolean or a value of the request is as recorded.',
  'replay/form': 'An id, a time or a secret has the recorded form.',
  'replay/reference': 'A field names the same thing as in the recording.',
  'replay/time': 'A time is as far from the request as recorded (for recordings of a sandbox).',
  'replay/amount': 'A number is as recorded.',
  'replay/relation': 'Sending amount, fees, rate and receiving amount follow from each other by the recorded rule.',
  'replay/order': 'A list has the recorded order.',
  'replay/length': 'A list has as many items as recorded.',
  'replay/inner': 'The text to sign has the recorded content.',
} as const;

export type RuleId = keyof typeof rules | keyof typeof replayRules | `schema/${string}`;

/** Describes what a rule demands, in a sentence. */
export function describeRule(rule: RuleId): string {
  const own = ({ ...rules, ...replayRules } as Readonly<Record<string, string>>)[rule];
  return own ?? `Values keep the keyword "${rule.slice('schema/'.length)}" of their schema.`;
}

/** The part of an exchange that is wrong. */
export type Place =
  | 'request.method'
  | 'request.path'
  | 'request.query'
  | 'request.headers'
  | 'request.body'
  | 'response.status'
  | 'response.headers'
  | 'response.body';

/** A breach with its basis, as it is reported. */
export interface FoundedBreach extends Breach {
  readonly basis: Basis;
}

/** One breach of the contract. */
export interface Breach {
  readonly in: Place;
  /** JSON pointer inside `in`; empty for the whole. */
  readonly pointer: string;
  readonly rule: RuleId;
  /** Continues a sentence that starts with the pointer. */
  readonly message: string;
  /** The value that was found, secrets masked; absent if there is none. */
  readonly value?: unknown;
}
