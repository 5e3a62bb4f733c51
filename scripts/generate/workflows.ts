/** Writes the workflows as a guide: what each shows and, for each step, what is sent and expected. Pure functions. */
import { operationOf, type Step, type Workflow, type WorkflowFile } from '../lib/arazzo.ts';

// The order in which to learn the interface. A file that isn't listed comes at the end.
const order = [
  'first-credential',
  'additional-credential',
  'passkey-sign-in',
  'session-refresh',
  'revocation',
  'email-change',
  'quote-from-account',
  'quote-from-wallet',
  'quote-suffixes',
  'payment-from-outside',
  'uma-payment',
  'transfer',
  'transfer-suffixes',
  'business-verification',
  'agent',
  'pagination',
  'api-token',
];

/**
 * Renders the workflows as Markdown, with headings from the second level on and no title.
 *
 * @param files the workflow files, in any order
 * @param link makes the address of an operation's description, for example `(id) => `#operation-${id}``; without it
 * operations are named, but not linked
 * @returns the guide: LF line ends, one final newline
 */
export function workflowsMarkdown(files: readonly WorkflowFile[], link?: (operationId: string) => string): string {
  const parts = [legend, ...[...files].sort(byOrder).flatMap((file) => fileParts(file, link))];
  return `${parts.join('\n\n')}\n`;
}

/** A short list: what each flow shows, and its file. */
export function workflowsList(files: readonly WorkflowFile[]): string {
  const lines = [...files].sort(byOrder).map(({ name, document: { info } }) => {
    const [first = ''] = (info.description ?? info.summary ?? '').trim().split(/(?<=\.)\s/);
    return `- **${info.title}** (\`${name}.arazzo.yaml\`): ${first.replaceAll('\n', ' ')}`;
  });
  return lines.join('\n');
}

/** The guide with each flow collapsed, for a page that also shows other things. */
export function workflowsFolded(files: readonly WorkflowFile[]): string {
  const [before = '', ...flows] = workflowsMarkdown(files).split(/^## (?=.)/m);
  const folded = flows.map((flow) => {
    const [title = '', ...lines] = flow.trim().split('\n');
    const text = lines.join('\n').trim().replaceAll(/^### /gm, '#### ');
    return `<details><summary>${title}</summary>\n\n${text}\n\n</details>`;
  });
  return [before.trim(), ...folded].join('\n\n');
}

function byOrder(a: WorkflowFile, b: WorkflowFile): number {
  const place = ({ name }: WorkflowFile): number => (order.includes(name) ? order.indexOf(name) : order.length);
  return place(a) - place(b) || (a.name < b.name ? -1 : 1);
}

const legend =
  'You can run each flow (Arazzo 1.0, in `openapi/workflows/`). A value in ‹angle quotes› comes from an earlier step, ' +
  'as ‹step.output›, or is an input, as ‹clientPublicKey›. Calls use the API token of the platform, unless a step says ' +
  'that the agent makes them.';

type Link = ((operationId: string) => string) | undefined;

function fileParts({ name, document: { info, workflows } }: WorkflowFile, link: Link): string[] {
  return [
    `## ${info.title}`,
    (info.description ?? info.summary ?? '').trim(),
    ...workflows.flatMap((workflow) => workflowParts(workflow, link)),
    `Run it: \`npm run workflows -- ${name}\``,
  ].filter((part) => part !== '');
}

function workflowParts({ workflowId, summary, steps }: Workflow, link: Link): string[] {
  const heading = `### ${workflowId}`;
  const list = steps.map((step, index) => stepText(step, index + 1, link)).join('\n');
  return [heading, ...(summary === undefined ? [] : [summary]), list];
}

/** An item of the numbered list. Its lines are indented so that they belong to the item. */
function stepText(step: Step, number: number, link: Link): string {
  const marker = `${number}. `;
  const lines = [`**${step.stepId}** ${target(step, link)}: ${step.description ?? ''}`.trimEnd()];
  const given = (step.parameters ?? []).map(({ name, value }) => `\`${name}: ${plain(value)}\``);
  const body = step.requestBody?.payload;
  if (body !== undefined) given.push(isShort(body) ? `\`${plain(body)}\`` : 'the body below');
  if (given.length > 0) lines.push(`${step.workflowId === undefined ? 'Sends' : 'With'} ${given.join(', ')}.`);
  const expected = (step.successCriteria ?? []).map(({ condition }) => criterion(condition));
  if (expected.length > 0) lines.push(`Expects ${expected.join(', ')}.`);
  const blocks = [lines.join('  \n')];
  if (body !== undefined && !isShort(body)) blocks.push(`\`\`\`json\n${named(block(body))}\n\`\`\``);
  const text = blocks.join('\n\n').replace(/\n(?=.)/g, `\n${' '.repeat(marker.length)}`);
  return marker + text;
}

function target(step: Step, link: Link): string {
  const operation = operationOf(step);
  if (operation === undefined) return `(workflow \`${step.workflowId ?? ''}\`)`;
  const name = `\`${operation.operationId}\``;
  if (operation.source === 'control') return `(${name} of the control surface)`;
  const isAgents = step['x-security']?.some(({ schemeName }) => schemeName.endsWith('.AgentBearer'));
  return `(${link === undefined ? name : `[${name}](${link(operation.operationId)})`}${isAgents ? ', as the agent' : ''})`;
}

// Whether a payload fits on a line beside the text.
function isShort(payload: unknown): boolean {
  return plain(payload).length <= 80;
}

/** A value as JSON; a string without quotes. */
function plain(value: unknown): string {
  return named(typeof value === 'string' ? value : block(value, Number.POSITIVE_INFINITY));
}

/** JSON with line breaks only where a value doesn't fit on one line. */
function block(value: unknown, width = 90, indent = ''): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const [open, close, gap] = Array.isArray(value) ? ['[', ']', ''] : ['{', '}', ' '];
  const render = (each: string): string[] =>
    Array.isArray(value)
      ? value.map((item) => block(item, width, each))
      : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${block(item, width, each)}`);
  const line = `${open}${gap}${render('').join(', ')}${gap}${close}`;
  if (indent.length + line.length <= width && !line.includes('\n')) return line;
  const deeper = `${indent}  `;
  return `${open}\n${deeper}${render(deeper).join(`,\n${deeper}`)}\n${indent}${close}`;
}

/** Replaces Arazzo's expressions in a text with `‹step.output›` and `‹input›`. */
function named(text: string): string {
  return text
    .replace(/\{?\$steps\.(\w+)\.outputs\.(\w+)\}?/g, (_, step, output) => `‹${step}.${output}›`)
    .replace(/\{?\$inputs\.(\w+)\}?/g, (_, input) => `‹${input}›`);
}

/** A success criterion in words. A form that the workflows don't use is returned unchanged. */
function criterion(condition: string): string {
  const [, absent] = /^\$\[\?!@\.(\w+)\]$/.exec(condition) ?? [];
  if (absent !== undefined) return `no \`${absent}\``;
  const [, list, relation, count] = /^\$\[\?count\(@\.(\w+)\[\*\]\) (==|>) (\d+)\]$/.exec(condition) ?? [];
  if (list !== undefined) return `${relation === '>' ? 'more than ' : ''}${count} in \`${list}\``;
  const [, left, operator, right] = /^(\$[^\s[]+) (==|!=) (.+)$/.exec(condition) ?? [];
  if (left === undefined || right === undefined) return `\`${condition}\``;
  const value = right.replace(/^'(.*)'$/, '$1');
  if (left === '$statusCode') return value;
  const field = left.replace(/^\$response\.(?:body#\/|header\.)/, '');
  return `\`${field}\` ${operator === '==' ? 'is' : 'is not'} ${expectation(value)}`;
}

function expectation(value: string): string {
  const [, sent] = /^\$request\.body#\/(.+)$/.exec(value) ?? [];
  return sent === undefined ? `\`${plain(value)}\`` : `the \`${sent}\` that was sent`;
}
