import { readFile } from 'node:fs/promises';
import type { Contract } from '../../contract/contract.ts';
import { toFaults } from '../../contract/faults.ts';
import { loadContract } from '../../contract/file.ts';
import { type Operation, operations } from '../../generated/operations.ts';
import { checkCredentialsForm } from '../sandbox/steps/authenticate.ts';
import { chooseExample } from '../sandbox/steps/prefer.ts';
import { validateRequest } from '../sandbox/steps/validateRequest.ts';
import type { Log } from '../sandbox/telemetry/log.ts';
import { createObserver } from '../sandbox/telemetry/observe.ts';
import { systemChance } from '../sandbox/tools/chance.ts';
import { systemStopwatch } from '../sandbox/tools/clock.ts';
import { Problem } from '../sandbox/tools/problem.ts';
import { createFront, type WebApp } from '../sandbox/transport/front.ts';
import { sendProblem } from '../sandbox/transport/problems.ts';
import type { Serve } from '../sandbox/transport/request.ts';
import type { RouteTable } from '../sandbox/transport/routes.ts';
import { openPrism, type Prism } from './prism.ts';

export interface MockParts {
  /** The bundled contract: `generated/openapi.json`, or a test's copy with planted faults. */
  readonly bundlePath: string | URL;
  readonly log: Log;
  /** Origins whose web pages may call, besides those of this machine. */
  readonly allowOrigins?: readonly string[];
}

/** The bundle can't be served correctly. The message lists every reason, one per line. */
export class UnservableBundle extends Error {
  constructor(reasons: readonly string[]) {
    super(`The contract can't be served:\n${reasons.map((reason) => `  ${reason}`).join('\n')}`);
    this.name = 'UnservableBundle';
  }
}

/**
 * The stateless mock as an app. Prism serves the contract's named examples, behind the same front as the sandbox's. So
 * both refuse the same requests. Any well-formed credentials pass.
 * @throws UnservableBundle if a reply's named example doesn't fit its schema, or a reply with content has no example.
 */
export async function createMock({ bundlePath, log, allowOrigins }: MockParts): Promise<WebApp> {
  const document = JSON.parse(await readFile(bundlePath, 'utf8')) as Record<string, unknown>;
  const prism = await openPrism(document);
  const missing = operations.filter(({ id }) => !prism.operationIds.has(id));
  if (missing.length > 0) {
    throw new UnservableBundle(missing.map(({ id }) => `${id} is not in the bundle: run npm run generate`));
  }
  const contract = loadContract(document);
  const faults = operations.flatMap((operation) => findFalseReplies(contract, operation));
  if (faults.length > 0) throw new UnservableBundle(faults);
  const observer = createObserver({ log, chance: systemChance.scope(''), stopwatch: systemStopwatch });
  // Loaded when the first request needs them.
  const mount = async (table: RouteTable): Promise<void> => {
    const { mountPages } = await import('../sandbox/node/pages.ts');
    mountPages(table, {
      name: 'Countersign mock',
      about:
        "The named examples of the contract, by Prism. It keeps nothing. 'Prefer: code=401' asks for another reply.",
      credentials: { clientId: 'any', clientSecret: 'pair' },
      contract: bundlePath,
    });
  };
  return createFront({ serve: createServe(contract, prism), log, observer, mount, allowOrigins });
}

/** The order of the steps is the sandbox's. Only the reply comes from Prism. */
function createServe(contract: Contract, prism: Prism): Serve {
  const answer: Serve = async (raw) => {
    const { operation, request } = raw;
    checkCredentialsForm(operation, request.headers);
    await validateRequest(contract, raw);
    const wanted = chooseExample(contract, operation, request.headers.get('prefer'));
    const reply = await prism.answer(operation, wanted ?? {});
    if (wanted === null) return reply;
    return { ...reply, headers: { ...reply.headers, 'Preference-Applied': wanted.applied } };
  };
  return (raw) =>
    answer(raw).catch((error: unknown) => {
      if (!(error instanceof Problem)) throw error;
      return sendProblem(error, raw.operation);
    });
}

/** The replies that Prism would serve against the contract: an example that doesn't fit, or an invented value. */
function findFalseReplies(contract: Contract, operation: Operation): string[] {
  return operation.statuses.flatMap((status) => {
    const examples = contract.examples(operation, status);
    const faultsOfNothing = contract.checkResponse(operation, status, undefined);
    if (faultsOfNothing === null) return [`${operation.id} ${status} is not in the bundle: run npm run generate`];
    if (examples.length === 0) {
      return faultsOfNothing.length === 0 ? [] : [`${operation.id} ${status} has no named example`];
    }
    return examples.flatMap(({ name, value }) =>
      toFaults('body', contract.checkResponse(operation, status, value) ?? [], 'response').map(
        ({ pointer, message }) => `${operation.id} ${status}, example ${name}: ${pointer || 'the body'} ${message}`,
      ),
    );
  });
}
