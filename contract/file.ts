import { readFileSync } from 'node:fs';
import { type Contract, readContract } from './contract.ts';
import { once } from './memoize.ts';
import { root } from './root.ts';

const readOwn = once(() => readContract(readBundle()));

/**
 * Returns the contract of `generated/openapi.json`, or of a given document (a test plants faults in one). The given
 * document isn't changed. The first contract is read once per process and shared by all sandboxes: everything that it
 * keeps is compiled from the document.
 */
export function loadContract(given?: Readonly<Record<string, unknown>>): Contract {
  return given === undefined ? readOwn() : readContract(structuredClone(given));
}

/** The address of the bundled document. */
export const bundleLocation = new URL('generated/openapi.json', root);

/** The address of the control surface's contract. */
export const controlLocation = new URL('generated/control.json', root);

/** The contract of the control surface. It is read at first use, once per process. */
export const loadControlContract = once(() => readContract(JSON.parse(readFileSync(controlLocation, 'utf8'))));

/** Reads the bundled document. */
export function readBundle(): Record<string, unknown> {
  return JSON.parse(readFileSync(bundleLocation, 'utf8'));
}
