import type { Contract } from '../../../contract/contract.ts';
import { type ErrorCode, type Operation, transportCodes } from '../../../generated/operations.ts';
import { noAnswer } from '../../exchange/exchange.ts';
import type { OutgoingReply } from '../../exchange/reply.ts';
import type { FaultRule, PlantedFaults } from '../store/units/platformState.ts';
import type { Unit } from '../store/units/unit.ts';
import { Problem } from '../tools/problem.ts';
import { sendProblem } from '../transport/problems.ts';

/** Each status that isn't a success, with its codes, in order. 500 and 503 come from the transport only. */
export function refusalsOf({ codes }: Operation): Map<number, readonly string[]> {
  // The keys of an object that are whole numbers are in order.
  const all = new Map<number, readonly string[]>(Object.entries(codes).map(([status, some]) => [Number(status), some]));
  return all.set(500, transportCodes[500]).set(503, transportCodes[503]);
}

/** Waits for a number of milliseconds on the machine's clock. */
export type Wait = (milliseconds: number) => Promise<void>;

/** Whether the platform has a rule for the operation. Usually it has none. */
export function hasFaultRule({ rules = [] }: PlantedFaults, { id }: Operation): boolean {
  return rules.some((rule) => meets(rule, id));
}

/** The platform's first rule for the operation, for a request that it affects: uses up one of the rule's times. */
export function takeFaultRule(unit: Unit, { id }: Operation): FaultRule | undefined {
  const { rules = [] } = unit.state.faults;
  const index = rules.findIndex((rule) => meets(rule, id));
  const rule = rules[index];
  if (rule?.times === undefined) return rule;
  const left = rule.times > 1 ? [{ ...rule, times: rule.times - 1 }] : [];
  unit.setState({ ...unit.state, faults: { ...unit.state.faults, rules: rules.toSpliced(index, 1, ...left) } });
  return rule;
}

function meets({ operation }: FaultRule, id: string): boolean {
  return operation === id || operation === '*';
}

/** The refusal that a rule requests: the contract's own example if there is one. */
export function plantedRefusal(
  contract: Contract,
  operation: Operation,
  { status, code }: FaultRule,
): OutgoingReply | undefined {
  if (status === undefined) return undefined;
  const wanted = code ?? refusalsOf(operation).get(status)?.[0];
  const problem = new Problem(wanted as ErrorCode, 'A fault rule of the control surface caused this reply.');
  const example = contract
    .examples(operation, status)
    .find(({ value }) => (value as { code?: unknown }).code === wanted);
  const { headers, body } = sendProblem(problem, operation);
  const own = { ...contract.exampleHeaders(operation, status), ...headers };
  return { status, headers: own, body: example?.value ?? body };
}

/** Applies a rule to a finished reply: delays it, or drops it. */
export async function delayOrDrop(rule: FaultRule, wait: Wait, answer: OutgoingReply): Promise<OutgoingReply> {
  if (rule.delayMs !== undefined) await wait(rule.delayMs);
  return rule.drop === undefined ? answer : noAnswer;
}
