/** Turns the contract into the document that the reference page shows: extensions for tools become text to read. */
import { type ContractDocument, httpMethods, type Operation } from '../lib/contract.ts';
import { type AddressOf, anchorsOf, headingsOf, linkNames, slugOf } from '../lib/names.ts';
import { noteDecisions, visit } from './basisNotes.ts';
import { firstAccessToken, readFirstRequests } from './firstRequests.ts';
import { type Sample, type Target, writeSamples } from './samples.ts';
import { fillInFirstRequests } from './scalarRequests.ts';

type Json = Record<string, unknown>;

/** A label beside an operation's name. */
interface Badge {
  readonly name: string;
  readonly position: 'before';
}

/** The page with the guides. The control surface has another page. */
const guidesPage = 'index.html';

/** The keys that Scalar reads from an operation, in addition to OpenAPI. */
interface Extras {
  'x-badges'?: readonly Badge[];
  'x-codeSamples'?: readonly Sample[];
}

/**
 * Changes a bundled contract in place. Each operation gets badges and samples, notes name the decisions, and names link
 * to their entries. `info.description` holds the guides.
 */
export function makeReadable(contract: ContractDocument): void {
  // First, because the examples get Scalar's format later.
  const samples = samplesOf(contract);
  noteDecisions(contract as unknown as Json);
  fillInFirstRequests(contract);
  for (const { operation } of operationsOf(contract)) {
    const extras = operation as Extras;
    extras['x-badges'] = badgesOf(operation);
    extras['x-codeSamples'] = samples.get(operation.operationId) ?? [];
  }
  linkDescriptions(contract);
  leaveOutKeys(contract);
}

/**
 * Does the same for the contract of the control surface: badges, and notes that link to the guides' page.
 * @param guides the guides with the decisions
 */
export function makeControlReadable(control: ContractDocument, guides: string): void {
  noteDecisions(control as unknown as Json);
  for (const { operation } of operationsOf(control)) (operation as Extras)['x-badges'] = badgesOf(operation);
  const anchors = anchorsOf(guides);
  const buttons = responsesOf(control);
  visit(control, (element) => {
    if (typeof element['description'] !== 'string' || buttons.has(element)) return;
    element['description'] = linkNames(element['description'], (name) => {
      const slug = anchors.get(name);
      return slug === undefined ? undefined : guidesPage + inGuides(slug);
    });
  });
  leaveOutKeys(control);
}

const readKeys: ReadonlySet<string> = new Set(['x-badges', 'x-codeSamples', 'x-displayName']);

/**
 * Removes what the page doesn't need: other extensions, whose content is in its texts. The download is the full
 * contract.
 */
function leaveOutKeys(contract: ContractDocument): void {
  visit(contract, (element) => {
    for (const key of Object.keys(element)) if (key.startsWith('x-') && !readKeys.has(key)) delete element[key];
  });
}

/** What the samples call: a sandbox with its default settings and credentials. */
function targetOf(contract: ContractDocument): Target {
  return {
    baseUrl: contract.servers?.[0]?.url ?? '',
    clientId: 'sandbox',
    clientSecret: 'sandbox',
    agentToken: firstAccessToken(contract),
  };
}

/** The samples of each operation, by its id. */
export function samplesOf(contract: ContractDocument): Map<string, Sample[]> {
  const target = targetOf(contract);
  return new Map(readFirstRequests(contract).map((one) => [one.operationId, writeSamples(one, target)]));
}

function badgesOf(operation: Operation): Badge[] {
  const { 'x-permission': permission, 'x-agent-permission': agentPermission, security = [] } = operation;
  const badges = security.flatMap(Object.keys).map((scheme) => {
    if (scheme === 'AgentBearer') return agentPermission === undefined ? 'Agent' : `Agent with ${agentPermission}`;
    if (scheme === 'ControlToken') return 'Control token, if there is one';
    return permission === undefined ? 'API token' : `API token with ${permission}`;
  });
  return (badges.length === 0 ? ['No credentials'] : badges).map((name) => ({ name, position: 'before' }));
}

/**
 * Links codes, decisions and operations in every description, and converts the guides' own links to the page's
 * addresses.
 */
function linkDescriptions(contract: ContractDocument): void {
  const guides = contract.info?.description ?? '';
  const headings = new Set(headingsOf(guides).map(slugOf));
  const addressOf = addressesOf(contract, guides);
  const buttons = responsesOf(contract);
  visit(contract, (element) => {
    if (typeof element['description'] !== 'string' || buttons.has(element)) return;
    const linked = linkNames(element['description'], addressOf);
    element['description'] = linked.replaceAll(/\]\(#([\w-]+)\)/g, (whole, slug: string) =>
      headings.has(slug) ? `](${inGuides(slug)})` : whole,
    );
  });
}

function addressesOf(contract: ContractDocument, guides: string): AddressOf {
  const operations = operationsOf(contract).map(({ operation, method, path }): [string, string] => [
    operation.operationId,
    `#tag/${operation.tags?.[0]}/${method.toUpperCase()}${path}`,
  ]);
  const entries = [...anchorsOf(guides)].map(([name, slug]): [string, string] => [name, inGuides(slug)]);
  const addresses = new Map([...operations, ...entries]);
  return (name) => addresses.get(name);
}

/** The responses of a contract. Scalar shows their descriptions in buttons, which can't contain links. */
function responsesOf(contract: ContractDocument): ReadonlySet<unknown> {
  const shared = Object.values(contract.components?.responses ?? {});
  return new Set<unknown>([
    ...shared,
    ...operationsOf(contract).flatMap(({ operation }) => Object.values(operation.responses)),
  ]);
}

/** The address of a heading. Scalar writes one hyphen for each gap, and for an underscore. */
const inGuides = (slug: string): string => `#description/${slug.replaceAll(/[-_]+/g, '-')}`;

function operationsOf({ paths }: ContractDocument) {
  return Object.entries(paths).flatMap(([path, item]) =>
    httpMethods.flatMap((method) =>
      item[method] === undefined ? [] : [{ operation: item[method] as Operation, method, path }],
    ),
  );
}
