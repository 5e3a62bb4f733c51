import { readFileSync } from 'node:fs';
import { type Contract, readContract } from './contract.ts';
import { once } from './memoize.ts';
import { root } from './root.ts';

const readOwn = once(() => readContract(readBundle()));

/**
 * The contract of `generated/openapi.json`, or of a document that was read (a test plants faults in one), which stays as it
 * is. The first is read once for the whole process: all that it keeps is compiled from the document, so every sandbox can
 * share it, and one that ends leaves nothing behind.
 */
export function loadContract(given?: Readonly<Record<string, unknown>>): Contract {
  return given === undefined ? readOwn() : readContract(structuredClone(given));
}

/** Where the bundled document is. */
export const bundleLocation = new URL('generated/openapi.json', root);

/** Where the contract of the control surface is. */
export const controlLocation = new URL('generated/control.json', root);

/** The contract of the control surface. It is read once for the whole process, when it is first asked for. */
export const loadControlContract = once(() => readContract(JSON.parse(readFileSync(controlLocation, 'utf8'))));

/** The document as it is bundled. */
export function readBundle(): Record<string, unknown> {
  return JSON.parse(readFileSync(bundleLocation, 'utf8'));
}
