/**
 * Promise: a start loads only what its first reply needs. Pages, the control surface, the fetching of key sets and the code
 * of `--detach` are loaded when they are used.
 */
import { expect, it } from 'vitest';
import { loadedWith } from '../support/run/loads.ts';

const start = loadedWith('cli/main.ts', 'cli/start.ts', 'mocks/sandbox/main.ts');

it.each([
  'mocks/detach.ts',
  'mocks/sandbox/node/assets.ts',
  'mocks/sandbox/node/consolePage.ts',
  'mocks/sandbox/node/keySets.ts',
  'mocks/sandbox/node/pages.ts',
  'mocks/sandbox/node/postgres/postgres.ts',
  'mocks/sandbox/node/referencePage.ts',
  'mocks/sandbox/control/control.ts',
  'mocks/sandbox/store/migrate.ts',
  'mocks/sandbox/worlds/examples/page.ts',
])('%s is loaded when it is needed', (file) => {
  expect(start.files).not.toContain(file);
  // The file exists, and the search follows what a start loads.
  expect(loadedWith(file).files).toContain(file);
  expect(start.files).toContain('mocks/sandbox/pipeline/pipeline.ts');
});

it('of packages, these are loaded and no other', () => {
  // Each new package makes every start slower. Measure it (test/bench/README.md), or load it when it is used.
  expect(start.others.filter((name) => !name.startsWith('node:'))).toEqual([
    '@noble/curves/ed25519.js',
    '@noble/curves/nist.js',
    '@noble/curves/secp256k1.js',
    '@noble/hashes/sha2.js',
    '@scure/base',
    '@scure/bip39',
    '@scure/bip39/wordlists/english.js',
    'ajv-formats',
    'ajv/dist/2020.js',
    'ajv/dist/compile/util.js',
    'canonicalize',
    'commander',
    'content-type',
    // As one file in a clone, like `uuid` (scripts/link/libraries.mjs).
    'kysely',
    'negotiator',
    'uuid',
  ]);
});

it('modules of Node whose import loads far more than is used are taken another way', () => {
  // To import one reads each of its exports. Those of `http` load `fetch` and WebSocket, those of `crypto` WebCrypto.
  for (const name of ['node:http', 'node:https', 'node:crypto', 'node:child_process', 'node:zlib', 'node:dns']) {
    expect(start.others).not.toContain(name);
  }
});
