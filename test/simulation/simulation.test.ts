/**
 * Promise: whatever customers do, in whatever order and at whatever time, every answer, status and balance is what a
 * second, simpler model of the document says, and no money is made or lost on the way (D29).
 */
import { expect, test } from 'vitest';
import { handlers } from '../../mocks/sandbox/handlers.ts';
import { describeReport, simulate } from './run.ts';

const drawn = Math.floor(Math.random() * 2 ** 32);

test.each([1, drawn])('three hundred steps of seed %i', async (seed) => {
  const report = await simulate({ seed, steps: 300, ledgerEvery: 10, shrinkMs: 20_000 });
  expect(report.difference, describeReport(report)).toBeUndefined();
});

test('a planted fault is found, and what led to it is cut down to what it takes', async () => {
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
