/**
 * Promise: an id in the body of any operation's request never reaches an object of another platform or, from an agent,
 * of another customer, and that object stays unchanged. `control/isolation.test.ts` tests ids in paths.
 */
import { describe, expect, test } from 'vitest';
import { operations } from '../../generated/operations.ts';
import { expectErrorShape } from '../support/expect/apiError.ts';
import {
  call,
  everything,
  type Json,
  openTargets,
  pathOf,
  requestExamples,
  type Targets,
} from '../support/requests/targets.ts';
import { sample } from '../support/run/length.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';
import { openAgent } from '../support/scenes/agents.ts';
import { openWallet } from '../support/scenes/builders.ts';

/** The example with each id replaced by a target's; undefined if it has none. */
function aimedAt(example: Json, targets: Targets): Json | undefined {
  const ids: Readonly<Record<string, string>> = {
    Agent: targets.agent.id,
    AgentAction: targets.actionId,
    AuthMethod: targets.email.id,
    BeneficialOwner: targets.ownerId,
    Customer: targets.customer.id,
    ExternalAccount: targets.externalAccountId,
    InternalAccount: targets.accountId,
    Quote: targets.quoteId,
    Session: targets.session.id,
    Token: targets.tokenId,
    Transaction: targets.transactionId,
    Verification: targets.verificationId,
  };
  let isAimed = false;
  const text = JSON.stringify(example).replaceAll(/"([A-Z]\w+):[\w-]+"/g, (whole, type: string) => {
    const id = ids[type];
    if (id === undefined) return whole;
    isAimed = true;
    return `"${id}"`;
  });
  return isAimed ? (JSON.parse(text) as Json) : undefined;
}

const named = operations.filter((operation) =>
  requestExamples(operation).some((example) => /"[A-Z]\w+:[\w-]+"/.test(JSON.stringify(example))),
);

test('there are operations that take ids in their body', () => {
  expect(named.length).toBeGreaterThan(5);
});

test.each(sample(named, 6))(
  '$id with ids of another platform in its body is refused and changes nothing',
  async (operation) => {
    const sandbox = await openSandbox();
    const [mine, theirs] = [await openPlatform(sandbox), await openPlatform(sandbox)];
    const [own, foreign] = [await openTargets(mine), await openTargets(theirs)];
    const before = await everything(theirs, foreign);
    for (const example of requestExamples(operation)) {
      const body = aimedAt(example, foreign);
      if (body === undefined) continue;
      const answer = await call(mine, operation, own, pathOf(operation, own), { body });
      expect([body, answer.status >= 400 && answer.status < 500]).toEqual([body, true]);
      expectErrorShape(answer);
    }
    expect(await everything(theirs, foreign)).toEqual(before);
  },
);

/** An agent with all permissions, of another customer. */
async function openOther(sandbox: TestSandbox) {
  const { customer } = await openWallet(sandbox);
  return { agent: await openAgent(sandbox, customer.id) };
}

const asAgent = operations.filter(({ security }) => security === 'bearer');

describe('an agent of one customer', () => {
  const ofPath = asAgent.filter(({ path }) => path.includes('{'));
  test.each(ofPath)('$id with an id of another customer in its path: 404', async (operation) => {
    const sandbox = await openSandbox();
    const [own, foreign] = [await openOther(sandbox), await openTargets(sandbox)];
    const before = await everything(sandbox, foreign);
    const body = requestExamples(operation)[0];
    const options = body === undefined ? {} : { body };
    const answer = await call(sandbox, operation, own, pathOf(operation, foreign), options);
    expect([answer.status, answer.body.code]).toEqual([404, expect.stringMatching(/_NOT_FOUND$/)]);
    expect(await everything(sandbox, foreign)).toEqual(before);
  });

  test.each(asAgent.filter((operation) => named.includes(operation)))(
    '$id with ids of another customer in its body is refused and changes nothing',
    async (operation) => {
      const sandbox = await openSandbox();
      const [own, foreign] = [await openOther(sandbox), await openTargets(sandbox)];
      const before = await everything(sandbox, foreign);
      // A wallet would be refused anyway, so only a US dollar account shows that the owner is checked.
      const query = `?customerId=${foreign.customer.id}&currency=USD`;
      const [dollars] = (await sandbox.send('GET', `/customers/internal-accounts${query}`)).body.data;
      const aims = [foreign, { ...foreign, accountId: dollars.id }];
      for (const body of requestExamples(operation).flatMap((example) => aims.map((aim) => aimedAt(example, aim)))) {
        if (body === undefined) continue;
        const answer = await call(sandbox, operation, own, operation.path, { body });
        expect([body, answer.status >= 400 && answer.status < 500]).toEqual([body, true]);
      }
      expect(await everything(sandbox, foreign)).toEqual(before);
    },
  );
});
