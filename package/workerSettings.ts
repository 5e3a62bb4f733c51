import type { WorldName } from '../mocks/sandbox/worlds/shape.ts';
import type { BrowserSandboxOptions } from './sandboxTypes.ts';

/** Which addresses the service worker answers, and how. */
export interface WorkerSettings {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly controlUrl: string;
  readonly options: BrowserSandboxOptions;
  /** Whether it also has the reference's platform. */
  readonly reference: boolean;
}

const known = ['baseUrl', 'controlUrl', 'keepAs', 'proofs', 'world', 'seed', 'reference'];

/**
 * Reads the settings from the address that registered the service worker.
 * @throws TypeError that names an unknown setting. The registration then fails with this error.
 */
export function readWorkerSettings(location: string, basePath: string): WorkerSettings {
  const { origin, searchParams } = new URL(location);
  const unknown = [...searchParams.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new TypeError(`${unknown} isn't a setting of the service worker: it knows ${known.join(', ')}.`);
  }
  const read = (name: string): string | undefined => searchParams.get(name) ?? undefined;
  const baseUrl = new URL(read('baseUrl') ?? basePath, location).href.replace(/\/+$/, '');
  const controlUrl = new URL(read('controlUrl') ?? new URL('/__sandbox', baseUrl), location).href.replace(/\/+$/, '');
  const seed = read('seed');
  if (seed !== undefined && !/^-?\d{1,15}$/.test(seed)) throw new TypeError(`seed is a whole number, not ${seed}.`);
  return {
    baseUrl,
    controlUrl,
    reference: oneOf('reference', read('reference'), ['true']) !== undefined,
    options: {
      keepAs: read('keepAs') ?? `service worker of ${origin}`,
      proofs: oneOf('proofs', read('proofs'), ['magic', 'real']),
      world: oneOf<WorldName>('world', read('world'), ['ready-made', 'examples']),
      seed: seed === undefined ? undefined : Number(seed),
    },
  };
}

function oneOf<Value extends string>(
  name: string,
  given: string | undefined,
  values: readonly Value[],
): Value | undefined {
  const found = values.find((value) => value === given);
  if (given === undefined || found !== undefined) return found;
  throw new TypeError(`${name} is ${values.join(' or ')}, not ${given}.`);
}
