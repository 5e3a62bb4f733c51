import type { ErrorObject } from 'ajv/dist/2020.js';
import type { Faults } from './contract.ts';
import { pointerSegment } from './pointer.ts';

/** One fault of a request: where it was found and what is wrong with it (D05). */
export interface Fault {
  readonly in: 'body' | 'query' | 'path' | 'header';
  /** JSON pointer (RFC 6901) below `in`: `/limit`, `/attestation/credentialId`. Empty for the whole. */
  readonly pointer: string;
  readonly message: string;
}

/**
 * What the validator found, in the words and shape of `details.errors` (D05). A value that fails several keywords with
 * one sentence for all of them is one fault.
 */
export function toFaults(place: Fault['in'], errors: Faults): Fault[] {
  // A failed branch of `if` is told by the faults inside it.
  const telling = errors.filter(({ keyword }) => keyword !== 'if');
  const faults = telling.map((error) => ({ in: place, pointer: pointerOf(error), message: messageOf(error) }));
  const byText = new Map(faults.map((fault) => [JSON.stringify([fault.pointer, fault.message]), fault]));
  return [...byText.values()];
}

function pointerOf(error: ErrorObject): string {
  const extra = error.params['missingProperty'] ?? error.params['additionalProperty'] ?? error.params['tag'];
  return typeof extra === 'string' ? `${error.instancePath}/${pointerSegment(extra)}` : error.instancePath;
}

/** The keywords that a schema can put into words of its own, in `x-fault`. */
const spoken = /^(pattern|format|(min|max)(Length|Properties))$/;

function messageOf(error: ErrorObject): string {
  const { keyword, params } = error;
  const schema = (error.parentSchema ?? {}) as Record<string, unknown>;
  if (spoken.test(keyword) && typeof schema['x-fault'] === 'string') return schema['x-fault'];
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
      return 'is not a field of this request';
    case 'const':
      return `must be ${JSON.stringify(params['allowedValue'])}`;
    case 'enum':
      return `must be one of ${(params['allowedValues'] as unknown[]).join(', ')}`;
    case 'minLength':
      return params['limit'] === 1 ? 'must not be empty' : `must have at least ${params['limit']} characters`;
    case 'maxLength':
      return `must have at most ${params['limit']} characters`;
    case 'discriminator':
      // A field that is missing is told alike, whether or not it tells the members of a union apart.
      if (params['tagValue'] === undefined) return 'is required';
      return `must be one of ${(schema['discriminator'] as { tags: string[] }).tags.join(', ')}`;
    default:
      return error.message ?? 'is not acceptable';
  }
}
