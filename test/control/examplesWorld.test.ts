/**
 * Promise: a platform with the world `examples` has the objects of the contract's examples. So the first example of
 * each operation gets the status that the reference shows, on any day and after a reset. Any number of platforms can
 * have this world.
 */
import { describe, expect, test } from 'vitest';
import { type Button, readButtons } from '../support/requests/buttons.ts';
import { readPostman } from '../support/requests/collections.ts';
import { byLength } from '../support/run/length.ts';
import { basic, openSandbox, origin, type TestSandbox } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';

const buttons = readButtons();
const accessToken = readPostman().variables['agentToken'];

/** Sends a button's request: as the platform, as the agent, or without credentials. */
function press(sandbox: TestSandbox, { method, path, headers, body, auth }: Button) {
  const who = auth === 'basic' ? {} : { authorization: auth === 'bearer' ? `Bearer ${accessToken}` : null };
  return sandbox.send(method, path, { headers, ...(body === undefined ? {} : { body }), ...who });
}

const reset = async (sandbox: TestSandbox) => expect((await sandbox.control('POST', '/reset')).status).toBe(204);

/** The status of each button on a platform where no other was pressed. */
async function pressEach(sandbox: TestSandbox, pressed: readonly Button[]) {
  const answers: [id: string, status: number][] = [];
  for (const button of pressed) {
    answers.push([button.operationId, (await press(sandbox, button)).status]);
    if (button.method !== 'GET') await reset(sandbox);
  }
  return answers;
}

/** In `npm test` every second one of those that change something, because a reset follows each. */
const some = byLength(
  buttons.filter(({ method }, index) => method === 'GET' || index % 2 === 0),
  buttons,
);

const buttonOf = (id: string) => buttons.find(({ operationId }) => operationId === id) as Button;
/**
 * One operation of each kind that needs an object of this world: a token, a session, a quote, a pending action, the
 * agent.
 */
const delicate = ['getToken', 'refreshSession', 'executeQuote', 'approveAgentAction', 'executeAgentQuote'].map(
  buttonOf,
);

async function pressDelicate(sandbox: TestSandbox): Promise<void> {
  for (const button of delicate) {
    expect([button.operationId, (await press(sandbox, button)).status]).toEqual([button.operationId, button.shown]);
  }
}

describe('the button of each operation', () => {
  test('gets the status that is shown with it, whatever day it is', async () => {
    const sandbox = await openSandbox({ world: 'examples', clock: { now: () => Date.UTC(2041, 1, 3) } });
    // The status that the page shows with each button.
    expect(await pressEach(sandbox, some)).toEqual(some.map(({ operationId, shown }) => [operationId, shown]));
  });
});

test('the ledger is sound, and the lists show the objects of the examples', async () => {
  const sandbox = await openSandbox({ world: 'examples' });
  expect((await sandbox.control('GET', '/ledger')).body).toMatchObject({ sound: true, faults: [] });
  const query = 'customerId=Customer:0199e0a4-2f00-7a31-8f5e-6d0b5c2a1e01&status=COMPLETED&type=OUTGOING';
  const { data } = (await sandbox.send('GET', `/transactions?${query}`)).body;
  expect(data.map(({ id }: { id: string }) => id.slice(-2))).toEqual(['91', '71', '63']);
  expect(await sandbox.now()).toBe('2025-10-13T11:00:00.000Z');
});

test('its proofs can be real: then the magic values of the examples are refused, and all else is there', async () => {
  const platform = await openPlatform(await openSandbox(), { world: 'examples', proofs: 'real' });
  expect((await press(platform, buttonOf('executeQuote'))).status).toBe(401);
  await reset(platform);
  expect((await press(platform, buttonOf('getQuote'))).status).toBe(200);
});

describe('two platforms of one sandbox', () => {
  const agents = '/agents/Agent:0199e0a4-2f00-7a31-8f5e-6d0b5c2a1e80';

  test('have the same ids and do not disturb each other', async () => {
    const sandbox = await openSandbox();
    const [one, other] = [
      await openPlatform(sandbox, { world: 'examples' }),
      await openPlatform(sandbox, { world: 'examples' }),
    ];
    const untouched = (await other.control('GET', '/snapshot')).body.records;
    for (const button of buttons) await press(one, button);
    expect((await other.control('GET', '/snapshot')).body.records).toEqual(untouched);
    // The agent's example token belongs to the first platform, so only the platform's own requests are tried here.
    for (const button of delicate.filter(({ auth }) => auth === 'basic')) {
      expect((await press(other, button)).status).toBe(button.shown);
    }
  });

  test('the agent of the second is connected by a new code, and gets that of the examples once the first has ended', async () => {
    const sandbox = await openSandbox();
    const [one, other] = [
      await openPlatform(sandbox, { world: 'examples' }),
      await openPlatform(sandbox, { world: 'examples' }),
    ];
    const me = { authorization: `Bearer ${accessToken}` };
    expect((await other.send('PATCH', agents, { body: { name: 'Second' } })).status).toBe(200);
    expect((await sandbox.send('GET', '/agents/me', me)).body.name).toBe('Bill payer');
    const { code } = (await other.send('POST', `${agents}/device-codes`)).body;
    const redeemed = await sandbox.send('POST', `/agents/device-codes/${code}/redeem`, { authorization: null });
    const authorization = `Bearer ${redeemed.body.accessToken}`;
    expect((await sandbox.send('GET', '/agents/me', { authorization })).body.name).toBe('Second');
    expect((await one.control('DELETE', '/platform')).status).toBe(204);
    await reset(other);
    await pressDelicate(other);
  });
});

describe('the platform of the reference page', () => {
  /** The settings of the page, and a sandbox that it calls. */
  async function openReference(sandbox: TestSandbox) {
    const response = await sandbox.fetch(new Request(`${origin}/reference/settings.js`));
    expect(response.headers.get('cache-control')).toBe('no-store');
    const text = await response.text();
    const settings = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
    const authorization = basic(settings.clientId, settings.clientSecret);
    const page: TestSandbox = {
      ...sandbox,
      send: (method, path, options) => sandbox.send(method, path, { authorization, ...options }),
      control: (method, path, options) => sandbox.control(method, path, { authorization, ...options }),
    };
    return { settings, page };
  }

  test('is made when the page is first opened, apart from the default one; "start over" brings it back', async () => {
    const sandbox = await openSandbox();
    const before = (await sandbox.control('GET', '/snapshot')).body;
    const { settings, page } = await openReference(sandbox);
    expect(settings).toEqual({
      basePath: '/2025-10-13',
      controlPath: '/__sandbox',
      inPage: { basePath: '/2025-10-13', worker: 'service-worker.js' },
      clientId: 'reference',
      clientSecret: 'reference',
      agentToken: accessToken,
      canStartOver: true,
    });
    await pressDelicate(page);
    expect((await press(page, buttonOf('executeQuote'))).status).toBe(409);
    await reset(page);
    await pressDelicate(page);
    expect((await sandbox.control('GET', '/snapshot')).body).toEqual(before);
    // After a new connection, only the program that connected knows the agent's token.
    expect((await press(page, buttonOf('redeemAgentDeviceCode'))).status).toBe(200);
    expect((await openReference(sandbox)).settings).not.toHaveProperty('agentToken');
  });

  test('is the default one where that has this world, and has a token of its own where another has that', async () => {
    const { settings } = await openReference(await openSandbox({ world: 'examples' }));
    expect(settings).toMatchObject({ clientId: 'sandbox', agentToken: accessToken });
    const sandbox = await openSandbox();
    await openPlatform(sandbox, { world: 'examples' });
    const { agentToken } = (await openReference(sandbox)).settings;
    expect(agentToken).not.toBe(accessToken);
    const me = await sandbox.send('GET', '/agents/me', { authorization: `Bearer ${agentToken}` });
    expect([me.status, me.body.name]).toEqual([200, 'Bill payer']);
  });
});

test('a snapshot of it is a world too, on the platform that it was taken of', async () => {
  const sandbox = await openSandbox({ world: 'examples' });
  const { body } = await sandbox.control('GET', '/snapshot');
  await pressDelicate(sandbox);
  expect((await sandbox.control('PUT', '/snapshot', { body })).status).toBe(204);
  await pressDelicate(sandbox);
  await pressDelicate(await openSandbox({ world: body }));
});
