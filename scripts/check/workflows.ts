/** Checks what the linter doesn't see in a workflow: operations, statuses and workflows that don't exist. */
import { operationOf, type Step, type WorkflowFile } from '../lib/arazzo.ts';
import { type ContractDocument, httpMethods, type Operation } from '../lib/contract.ts';

/** Something wrong in a workflow. */
export interface WorkflowFault {
  readonly file: string;
  /** The workflow, and the step if it is about one. */
  readonly place: string;
  readonly message: string;
}

/**
 * Compares workflows with the contracts that they call. Each step must name an operation of its source and expect one
 * status that the operation declares, or call a workflow in its own file. No two workflows may share a name.
 *
 * @param sources the OpenAPI documents, by the names that the workflows use
 */
export function findWorkflowFaults(
  files: readonly WorkflowFile[],
  sources: Readonly<Record<string, ContractDocument>>,
): WorkflowFault[] {
  const operations = new Map(
    Object.entries(sources).flatMap(([source, contract]) =>
      operationsOf(contract).map((operation) => [`${source}.${operation.operationId}`, operation]),
    ),
  );
  const seen = new Set<string>();
  const faults: WorkflowFault[] = [];
  for (const { name, document } of files) {
    const own = new Set(document.workflows.map(({ workflowId }) => workflowId));
    for (const { workflowId, steps } of document.workflows) {
      const add = (place: string, message: string) => faults.push({ file: name, place, message });
      if (seen.has(workflowId)) add(workflowId, 'another workflow has this name');
      seen.add(workflowId);
      for (const step of steps) {
        for (const message of stepFaults(step, operations, own)) add(`${workflowId}.${step.stepId}`, message);
      }
    }
  }
  return faults;
}

function stepFaults(step: Step, operations: ReadonlyMap<string, Operation>, own: ReadonlySet<string>): string[] {
  const faults = step.description === undefined ? ['it has no description'] : [];
  if (step.workflowId !== undefined) {
    return own.has(step.workflowId) ? faults : [...faults, `there is no workflow ${step.workflowId} in the file`];
  }
  const called = operationOf(step);
  const operation = called && operations.get(`${called.source}.${called.operationId}`);
  if (operation === undefined) return [...faults, `there is no operation ${step.operationId}`];
  const statuses = (step.successCriteria ?? []).flatMap(({ condition }) => {
    const [, status] = /^\$statusCode == (\d{3})$/.exec(condition) ?? [];
    return status === undefined ? [] : [status];
  });
  if (statuses.length !== 1) faults.push('it does not expect one status');
  const undeclared = statuses.filter((status) => operation.responses[status] === undefined);
  return [...faults, ...undeclared.map((status) => `${operation.operationId} declares no ${status}`)];
}

function operationsOf(contract: ContractDocument): Operation[] {
  return Object.values(contract.paths).flatMap((item) =>
    httpMethods.flatMap((method) => (item[method] === undefined ? [] : [item[method] as Operation])),
  );
}
