/**
 * Promise: the house rules find faults in the contract of the control surface too, with that contract's own word lists
 * (openapi/control/.spectral.yaml). `npm run check` checks that the contract itself has no findings.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { controlLocation } from '../../contract/file.ts';
import { findBrokenHouseRules } from '../../scripts/lib/houseRules.ts';

// biome-ignore lint/suspicious/noExplicitAny: any part of the document may be read
type Document = any;

/** One fault for each rule with its own word list, and one for a rule without. */
const faults: readonly [rule: string, plant: (document: Document) => void][] = [
  ['R01', ({ paths }) => Object.assign(paths['/clock'].get, { operationId: 'seeClock' })],
  ['R02', ({ paths }) => Object.assign(paths['/ledger'].get, { tags: ['customers'] })],
  ['R03', ({ components }) => delete components.schemas.FaultRule.additionalProperties],
  ['R07', ({ components }) => Object.assign(components.schemas.Clock.properties, { setAt: text })],
  ['R16', ({ components }) => Object.assign(components.schemas.Clock.properties, { time_zone: text })],
  ['R17', ({ components }) => delete components.schemas.Clock.description],
  ['R23', ({ paths }) => Object.assign(paths, { '/.hidden/clock': paths['/clock'] })],
];
const text = { type: 'string', description: 'A text.' };

test('each of these faults is found by its rule', async () => {
  const document: Document = JSON.parse(readFileSync(controlLocation, 'utf8'));
  for (const [, plant] of faults) plant(document);
  const found = await findBrokenHouseRules(JSON.stringify(document), 'openapi/control/.spectral.yaml');
  const rules = new Set(found.map(({ message }) => message.slice(0, 3)));
  expect([...rules]).toEqual(expect.arrayContaining([...new Set(faults.map(([rule]) => rule))]));
  expect(found.filter(({ message, pointer }) => message.startsWith('R07') && pointer.includes('failAt'))).toEqual([]);
});
