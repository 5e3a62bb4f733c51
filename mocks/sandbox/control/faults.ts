import type { Fault } from '../../../contract/faults.ts';
import { type Operation, operations } from '../../../generated/operations.ts';
import { refusalsOf } from '../steps/plantFault.ts';
import type { FaultRule, PlantedFaults } from '../store/units/platformState.ts';
import { invalid } from '../tools/problem.ts';
import { bodyCheck, bodyReader, type ControlRoute, changeState } from './route.ts';

const longestDelayMs = 60_000;
const mostTimes = 1_000_000;

const faultsSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    emailOtpSync: {
      type: 'object',
      required: ['failAt'],
      additionalProperties: false,
      properties: { failAt: { type: 'integer', minimum: 0 } },
    },
    rules: {
      type: 'array',
      maxItems: 100,
      items: {
        type: 'object',
        required: ['operation'],
        minProperties: 2,
        additionalProperties: false,
        properties: {
          operation: { type: 'string' },
          status: { type: 'integer' },
          code: { type: 'string' },
          delayMs: { type: 'integer', minimum: 1, maximum: longestDelayMs },
          drop: { enum: ['before', 'after'] },
          times: { type: 'integer', minimum: 1, maximum: mostTimes },
        },
      },
    },
  },
};

const readFaults = bodyReader<PlantedFaults>(faultsSchema);
const findMisshapen = bodyCheck(faultsSchema);

/** `GET|PUT|DELETE /faults`: what is to go wrong on a platform. */
export const faultRoutes: readonly ControlRoute[] = [
  { method: 'GET', path: '/faults', needs: 'manager', handle: (call) => changeState(call, (state) => state, show) },
  {
    method: 'PUT',
    path: '/faults',
    needs: 'manager',
    async handle(call) {
      const faults = await readFaults(call.request);
      const found = findMisfitRules(faults);
      if (found.length > 0) throw invalid(found);
      return changeState(call, (state) => ({ ...state, faults }), show);
    },
  },
  {
    method: 'DELETE',
    path: '/faults',
    needs: 'manager',
    handle: (call) => changeState(call, (state) => ({ ...state, faults: {} }), show),
  },
];

function show({ faults }: { readonly faults: PlantedFaults }): PlantedFaults {
  return faults;
}

/** All that is wrong with planted faults that did not come by `PUT /faults`. */
export function findFaultyFaults(faults: unknown): Fault[] {
  const misshapen = findMisshapen(faults);
  return misshapen.length > 0 ? misshapen : findMisfitRules(faults as PlantedFaults);
}

function findMisfitRules({ rules = [] }: PlantedFaults): Fault[] {
  return rules.flatMap((rule, index) => findMisfits(rule, `/rules/${index}`));
}

/** What the form alone can't tell: whether the operation is there and can answer so. */
function findMisfits({ operation, status, code, drop, delayMs }: FaultRule, pointer: string): Fault[] {
  const refuse = (field: string, message: string): Fault[] => [{ in: 'body', pointer: pointer + field, message }];
  const meant = (operations as readonly Operation[]).filter(({ id }) => operation === '*' || id === operation);
  if (meant.length === 0) return refuse('/operation', 'is no operation of the contract, nor * for all of them');
  if (status === undefined) {
    if (code !== undefined) return refuse('/code', 'goes with a status');
    return drop === undefined && delayMs === undefined ? refuse('', 'must say status, delayMs or drop') : [];
  }
  if (drop !== undefined) return refuse('/drop', 'leaves no answer, so a status has no use with it');
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
