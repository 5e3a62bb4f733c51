/**
 * Promise: whatever customers, agents and the platform do, in any order and at any time, every answer, status, balance
 * and usage matches a second, simpler model of the document. No money appears or disappears (D29), no agent exceeds a
 * limit, and nothing is executed twice (D32, D33, D78).
 */
import { expect, test } from 'vitest';
import { handlers } from '../../mocks/sandbox/registry/handlers.ts';
import { byLength } from '../support/run/length.ts';
import { seed } from '../support/run/seed.ts';
import { describeReport, simulate } from './run.ts';

const steps = byLength(120, 3000);

test.each(byLength([seed], [1, seed]))(`${steps} steps of seed %i`, { timeout: 300_000 }, async (from) => {
  const report = await simulate({ seed: from, steps, ledgerEvery: steps / 30, shrinkMs: 20_000 });
  expect(report.difference, describeReport(report)).toBeUndefined();
});

test('a planted fault is found and reduced to the necessary steps', async () => {
  const pocketing: typeof handlers.createTransferIn = {
    ...handlers.createTransferIn,
    handle: (call, unit, prepared) => {
      const body = { ...call.body, amount: Math.max(1, call.body.amount - 1) };
      return handlers.createTransferIn.handle({ ...call, body }, unit, prepared);
    },
  };
  const planted = { ...handlers, createTransferIn: pocketing };
  const report = await simulate({ seed: 1, steps: 300, ledgerEvery: 300, shrinkMs: 20_000, handlers: planted });
  expect(report.trace.map(({ kind }) => kind)).toEqual(['TRANSFER_IN']);
  expect(describeReport(report)).toMatch(
    /^seed 1: at step \d+, .*\nThe shortest run found:\n {2}\{.*"kind":"TRANSFER_IN".*\}$/,
  );
});
