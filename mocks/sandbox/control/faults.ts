import type { Contract } from '../../../contract/contract.ts';
import { type Fault, toFaults } from '../../../contract/faults.ts';
import type { Faults } from '../../../generated/controlTypes.ts';
import { type Operation, operations } from '../../../generated/operations.ts';
import { refusalsOf } from '../steps/plantFault.ts';
import type { FaultRule, PlantedFaults } from '../store/units/platformState.ts';
import { invalid } from '../tools/problem.ts';
import { type ControlHandlers, changeState } from './route.ts';

/** Plants faults on a platform. */
export const faultHandlers = {
  getFaults: { handle: (call) => changeState(call, (state) => state, show) },
  replaceFaults: {
    async handle(call) {
      // A value from JSON has no undefined.
      const faults = call.body as PlantedFaults;
      const found = findMisfitRules(faults);
      if (found.length > 0) throw invalid(found);
      return changeState(call, (state) => ({ ...state, faults }), show);
    },
  },
  deleteFaults: { handle: (call) => changeState(call, (state) => ({ ...state, faults: {} }), show) },
} satisfies Pick<ControlHandlers, 'getFaults' | 'replaceFaults' | 'deleteFaults'>;

function show({ faults }: { readonly faults: PlantedFaults }): Faults {
  // A stored value is never changed in place, only replaced.
  return faults as Faults;
}

/** Finds what is wrong with planted faults that didn't come through `replaceFaults`. */
export function findFaultyFaults(contract: Contract, faults: unknown): Fault[] {
  const misshapen = toFaults('body', contract.checkSchema('#/components/schemas/Faults', faults));
  return misshapen.length > 0 ? misshapen : findMisfitRules(faults as PlantedFaults);
}

function findMisfitRules({ rules = [] }: PlantedFaults): Fault[] {
  return rules.flatMap((rule, index) => findMisfits(rule, `/rules/${index}`));
}

/** Checks what the schema can't: whether the operation exists and can be refused like this. */
function findMisfits({ operation, status, code, drop, delayMs }: FaultRule, pointer: string): Fault[] {
  const refuse = (field: string, message: string): Fault[] => [{ in: 'body', pointer: pointer + field, message }];
  const meant = (operations as readonly Operation[]).filter(({ id }) => operation === '*' || id === operation);
  if (meant.length === 0) return refuse('/operation', 'must be an operation of the contract, or * for all of them');
  if (status === undefined) {
    if (code !== undefined) return refuse('/code', 'is possible only with a status');
    return drop === undefined && delayMs === undefined ? refuse('', 'must have status, delayMs or drop') : [];
  }
  if (drop !== undefined)
    return refuse('/drop', 'is not possible with a status, because no reply is sent; remove one of them');
  const common = meant.map((one) => refusalsOf(one)).reduce(intersect);
  const codes = common.get(status);
  if (codes === undefined) {
    return refuse('/status', `must be one that ${operation} can be refused with: ${[...common.keys()].join(', ')}`);
  }
  if (code !== undefined && !codes.includes(code)) return refuse('/code', `must be one of ${codes.join(', ')}`);
  return [];
}

function intersect(one: Map<number, readonly string[]>, other: Map<number, readonly string[]>) {
  const both = [...one].map(
    ([status, codes]) => [status, codes.filter((code) => other.get(status)?.includes(code))] as const,
  );
  return new Map(both.filter(([, codes]) => codes.length > 0));
}
