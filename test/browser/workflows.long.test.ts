/** Promise: every workflow of the contract runs against the sandbox in a page as it does against one with a server. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readWorkflows } from '../../scripts/lib/arazzo.ts';
import { runWorkflows } from '../../scripts/workflows/run.ts';
import { type Bridge, openBridge } from '../support/browser/bridge.ts';
import { openInPage, StoreInPage } from '../support/browser/inPage.ts';
import { listen } from '../support/process/fetchApp.ts';
import { baseUrl, startOfTime } from '../support/sandbox/harness.ts';

let bridge: Bridge;
beforeAll(async () => {
  bridge = await openBridge();
}, 120_000);
afterAll(() => bridge?.close());

test('all workflows, by a tool that knows the contract alone', async () => {
  const fetch = await openInPage(await StoreInPage.open(bridge.url), startOfTime, {}, []);
  const server = await listen({ fetch }, 'localhost', 0);
  try {
    const names = readWorkflows().map(({ name }) => name);
    const target = {
      server: server.address + new URL(baseUrl).pathname,
      control: `${server.address}/__sandbox`,
    };
    const outcomes = await runWorkflows(target, names, { checkReplies: false });
    expect(outcomes.length).toBeGreaterThanOrEqual(names.length);
    expect(outcomes.filter(({ failure }) => failure !== undefined)).toEqual([]);
  } finally {
    await server.stop(0);
  }
}, 600_000);
