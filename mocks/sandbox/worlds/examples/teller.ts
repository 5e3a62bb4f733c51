import type { Contract } from '../../../../contract/contract.ts';
import { type OperationId, operations } from '../../../../generated/operations.ts';
import { magicProofs } from '../../proofs/magic.ts';
import { handlers } from '../../registry/handlers.ts';
import type { Preparation, Unit } from '../../store/units/unit.ts';
import { Problem, SandboxBug } from '../../tools/problem.ts';

// biome-ignore lint/suspicious/noExplicitAny: the examples are checked against their schemas where the contract is
type Thing = Readonly<Record<string, any>>;

/** One request of the story. Absent fields are those of the contract's first example. */
export interface Step {
  /** The name of the body's example. */
  readonly request?: string;
  /** Fields that replace those of the body's example. */
  readonly body?: object;
  /** The name of the reply's example. It defines the time of the request and the new ids. */
  readonly reply?: string;
  /** The time, if no reply defines it or the reply's time is too early. */
  readonly at?: number;
  /** New ids, before those of the reply. */
  readonly ids?: readonly string[];
  readonly path?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** The caller, instead of the platform. */
  readonly agent?: { readonly actorId: string; readonly customerId: string };
}

const idForm = /\b(?:[A-Z][a-z]+)+:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;
const operationBy = new Map(operations.map((operation) => [operation.id, operation]));

/**
 * Replays the contract's examples on one platform. It sends their requests to the sandbox's own handlers, at the times
 * and with the ids of their replies. So the sandbox's rules have created everything that the platform has.
 */
export class Teller {
  readonly #unit: Unit;
  readonly #contract: Contract;

  constructor(unit: Unit, contract: Contract) {
    this.#unit = unit;
    this.#contract = contract;
  }

  /** The value of a reply's example. */
  shown(id: OperationId, name: string): Thing {
    const operation = mustFindOperation(id);
    for (const status of [200, 201, 202]) {
      const found = this.#contract.examples(operation, status).find((example) => example.name === name);
      if (found !== undefined) return found.value as Thing;
    }
    throw new SandboxBug(`${id} has no reply ${name}`, {});
  }

  /** The value of a body's example; the first if it isn't named. */
  asked(id: OperationId, name?: string): Thing {
    const examples = this.#contract.requestExamples(mustFindOperation(id));
    const found = name === undefined ? examples[0] : examples.find((example) => example.name === name);
    if (found === undefined && name !== undefined) throw new SandboxBug(`${id} has no request ${name}`, {});
    return (found?.value ?? {}) as Thing;
  }

  /** The value of the first example of a parameter. */
  parameter(id: OperationId, name: string): string {
    return String(this.#contract.parameterExamples(mustFindOperation(id))[name]);
  }

  /** The platform at a moment of the story. New ids are taken from `ids` first. */
  at(instant: number, ids: readonly string[] = []): Unit {
    const moment = this.#unit.at(instant);
    const left = [...ids];
    const newId: Unit['newId'] = (type) => {
      const index = left.findIndex((id) => id.startsWith(`${type}:`));
      return index < 0 ? moment.newId(type) : (left.splice(index, 1)[0] as string);
    };
    // The examples have the values of magic proofs, whichever the platform checks.
    const proofs: Unit['proofs'] = () => magicProofs(moment.platformId);
    return Object.create(moment, { newId: { value: newId }, proofs: { value: proofs } });
  }

  /**
   * Carries out one request.
   * @returns the body of the reply.
   * @throws SandboxBug if the sandbox refuses it: the examples then contradict its rules.
   */
  async tell(id: OperationId, step: Step = {}): Promise<Thing> {
    const operation = mustFindOperation(id);
    const shown = step.reply === undefined ? undefined : this.shown(id, step.reply);
    const instant = step.at ?? timeOf(shown);
    const unit = this.at(instant, [...(step.ids ?? []), ...(JSON.stringify(shown ?? {}).match(idForm) ?? [])]);
    const names = this.#contract.parameters(operation, 'path').map(({ name }) => name);
    const call = {
      operation,
      path: { ...Object.fromEntries(names.map((name) => [name, this.parameter(id, name)])), ...step.path },
      query: {},
      headers: step.headers ?? {},
      body: { ...this.asked(id, step.request), ...step.body },
      requester: { platformId: unit.platformId, actorId: '', permissions: [], ...step.agent },
    };
    // Its own operation types the handler, and the examples fit that.
    const handler = handlers[id] as unknown as {
      readonly prepare?: (call: object, preparation: Preparation) => Promise<unknown>;
      readonly handle: (call: object, unit: Unit, prepared: unknown) => Promise<{ readonly body?: Thing } | Problem>;
    };
    try {
      const reply = await handler.handle(call, unit, await handler.prepare?.(call, preparationOf(unit)));
      if (reply instanceof Problem) throw reply;
      return reply.body ?? {};
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      throw new SandboxBug(`The example ${id} ${step.request ?? ''} was refused: ${error.message}`, {});
    }
  }
}

function mustFindOperation(id: OperationId) {
  const operation = operationBy.get(id);
  if (operation === undefined) throw new SandboxBug(`There is no operation ${id}`, {});
  return operation;
}

/** The time of a reply: its record was created or changed then. */
function timeOf(shown: Thing | undefined): number {
  const { createdAt, updatedAt = createdAt, agent } = shown ?? {};
  return updatedAt === undefined && agent !== undefined ? timeOf(agent) : Date.parse(updatedAt);
}

/** Other preparations run outside a unit. Here one can run inside, because no other code uses the platform yet. */
function preparationOf(unit: Unit): Preparation {
  return {
    platformId: unit.platformId,
    rowsId: unit.rowsId,
    now: unit.now(),
    chance: unit.chance(),
    proofs: unit.proofs(),
    derive: unit.derive,
    read: (work) => work(unit),
  };
}
