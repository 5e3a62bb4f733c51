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
  /** The bundled contract: `generated/openapi.json`, or a copy in which a test plants faults. */
  readonly bundlePath: string | URL;
  readonly log: Log;
  /** Origins whose web pages may call, beside those of this machine. */
  readonly allowOrigins?: readonly string[];
}

/** The bundle can't be served truthfully; the message lists every reason, one a line. */
export class UnservableBundle extends Error {
  constructor(reasons: readonly string[]) {
    super(`The contract can't be served:\n${reasons.map((reason) => `  ${reason}`).join('\n')}`);
    this.name = 'UnservableBundle';
  }
}

/**
 * The stateless mock as an app: the contract's named examples through Prism, behind the same front as the
 * sandbox, so that a request which the contract refuses is refused alike by both. Any well-formed credentials do.
 * @throws UnservableBundle when a named example of a reply does not fit its schema, or a reply with content has none.
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
  // Loaded when somebody asks for them.
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

/** The order of work is the sandbox's; only the answer comes from elsewhere. */
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

/** What Prism would serve although the contract says otherwise: an example that does not fit, a value made up. */
function findFalseReplies(contract: Contract, operation: Operation): string[] {
  return operation.statuses.flatMap((status) => {
    const examples = contract.examples(operation, status);
    if (examples === null) return [`${operation.id} ${status} is not in the bundle: run npm run generate`];
    if (examples.length === 0) {
      const needsContent = contract.checkResponse(operation, status, undefined)?.length !== 0;
      return needsContent ? [`${operation.id} ${status} has no named example`] : [];
    }
    return examples.flatMap(({ name, value }) =>
      toFaults('body', contract.checkResponse(operation, status, value) ?? [], 'response').map(
        ({ pointer, message }) => `${operation.id} ${status}, example ${name}: ${pointer || 'the body'} ${message}`,
      ),
    );
  });
}
