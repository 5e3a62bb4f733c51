/**
 * Promise: a workflow that names an unknown operation, status or workflow fails the check. The guide of the workflows
 * says what each step sends and expects.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findWorkflowFaults } from '../../scripts/check/workflows.ts';
import { workflowsMarkdown } from '../../scripts/generate/workflows.ts';
import { readWorkflows, type Step, type WorkflowFile } from '../../scripts/lib/arazzo.ts';
import type { ContractDocument } from '../../scripts/lib/contract.ts';
import { projectRoot } from '../../scripts/lib/project.ts';

const sources = {
  countersign: JSON.parse(readFileSync(join(projectRoot, 'generated/openapi.json'), 'utf8')) as ContractDocument,
  control: JSON.parse(readFileSync(join(projectRoot, 'generated/control.json'), 'utf8')) as ContractDocument,
};
const operation = (name: string) => `$sourceDescriptions.countersign.${name}`;

/** A file with one workflow of one step. */
function fileWith(step: Partial<Step>, workflowId = 'flow'): WorkflowFile {
  const sound: Step = {
    stepId: 'read',
    description: 'The settings.',
    operationId: operation('getConfig'),
    successCriteria: [{ condition: '$statusCode == 200' }],
  };
  const workflows = [{ workflowId, summary: 'Read.', steps: [{ ...sound, ...step }] }];
  const info = { title: 'Flow', description: 'What it shows.\n' };
  return { name: 'flow', document: { arazzo: '1.0.1', info, sourceDescriptions: [], workflows } };
}

const faultsOf = (...files: WorkflowFile[]) =>
  findWorkflowFaults(files, sources).map(({ place, message }) => `${place}: ${message}`);

describe('faults', () => {
  test('the workflows have none', () => {
    expect(findWorkflowFaults(readWorkflows(), sources)).toEqual([]);
    expect(faultsOf(fileWith({}))).toEqual([]);
  });

  const status = (text: string) => ({ condition: `$statusCode == ${text}` });
  const call = { operationId: undefined, successCriteria: undefined } as unknown as Partial<Step>;

  test.each<[what: string, step: Partial<Step>, fault: string]>([
    ['an operation that is not there', { operationId: operation('getNothing') }, 'there is no operation'],
    ['a source that is not there', { operationId: '$sourceDescriptions.other.getConfig' }, 'there is no operation'],
    ['an operation without its source', { operationId: 'getConfig' }, 'there is no operation'],
    ['a status that is not declared', { successCriteria: [status('418')] }, 'getConfig declares no 418'],
    ['no status', { successCriteria: [{ condition: '$response.body#/id != 1' }] }, 'it does not expect one status'],
    ['two statuses', { successCriteria: [status('200'), status('401')] }, 'it does not expect one status'],
    ['no description', { description: undefined } as unknown as Partial<Step>, 'it has no description'],
    ['a workflow that is not there', { ...call, workflowId: 'elsewhere' }, 'there is no workflow elsewhere'],
  ])('%s', (_, step, fault) => {
    expect(faultsOf(fileWith(step))).toEqual([expect.stringContaining(`flow.read: ${fault}`)]);
  });

  test('a name twice', () => {
    expect(faultsOf(fileWith({}), fileWith({}))).toEqual(['flow: another workflow has this name']);
  });
});

describe('the guide', () => {
  const guideOf = (step: Partial<Step>) =>
    workflowsMarkdown([fileWith(step)])
      .split('\n')
      .slice(2)
      .join('\n');

  test('a step, with what it sends and what it expects', () => {
    const text = guideOf({
      stepId: 'change',
      description: 'Another address.',
      operationId: operation('updateCustomer'),
      parameters: [
        { name: 'customerId', in: 'path', value: '$steps.make.outputs.customerId' },
        { name: 'Request-Id', in: 'header', value: 'Request:1' },
      ],
      requestBody: { payload: { email: '{$steps.make.outputs.ownName}@example.com' } },
      successCriteria: [
        { condition: '$statusCode == 200' },
        { condition: '$response.body#/email == $request.body#/email' },
        { condition: "$response.body#/address/city != 'Leeds'" },
        { condition: '$[?!@.refund]' },
        { condition: '$[?count(@.data[*]) == 2]' },
      ],
    });
    expect(text).toBe(`## Flow

What it shows.

### flow

Read.

1. **change** (\`updateCustomer\`): Another address.  
   Sends \`customerId: ‹make.customerId›\`, \`Request-Id: Request:1\`, \`{ "email": "‹make.ownName›@example.com" }\`.  
   Expects 200, \`email\` is the \`email\` that was sent, \`address/city\` is not \`Leeds\`, no \`refund\`, 2 in \`data\`.

Run it: \`npm run workflows -- flow\`
`);
  });

  test('a long body stands below, as JSON in the item', () => {
    const payload = { a: 'x'.repeat(60), b: { c: [1, 2], d: '$inputs.secret' }, e: 'y'.repeat(60) };
    const text = guideOf({ requestBody: { payload } });
    const block = /( *)```json\n([^`]*)```/.exec(text);
    expect(block?.[1]).toBe('   ');
    expect(JSON.parse(block?.[2] ?? '')).toEqual({ ...payload, b: { c: [1, 2], d: '‹secret›' } });
  });

  test('links, the agent, the control surface, other workflows', () => {
    const link = (id: string) => `#${id}`;
    const first = (step: Partial<Step>) => workflowsMarkdown([fileWith(step)], link).match(/^1\. .*$/m)?.[0];
    const security = [{ schemeName: operation('AgentBearer') }];
    expect(first({ 'x-security': security })).toContain('([`getConfig`](#getConfig), as the agent)');
    expect(first({ operationId: '$sourceDescriptions.control.updateClock' })).toContain('of the control surface');
    expect(first({ operationId: undefined, workflowId: 'other' } as unknown as Partial<Step>)).toContain('`other`');
  });

  test('of the workflows: no expression is left over, and the first credential comes first', () => {
    const text = workflowsMarkdown(readWorkflows().reverse());
    expect(text).not.toMatch(/\$(?:steps|inputs|response|request|statusCode|\[)/);
    const titles = [...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
    expect(titles).toHaveLength(readWorkflows().length);
    expect(titles.slice(0, 2)).toEqual(['First credential', 'Additional credential']);
    expect(workflowsMarkdown(readWorkflows())).toBe(text);
  });
});
