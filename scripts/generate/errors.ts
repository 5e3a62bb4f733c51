/** Writes the error section of the guides: an index by status, and an entry with its own address for each code. */
import type { ContractDocument } from '../lib/contract.ts';
import { slugOf } from '../lib/names.ts';
import { errorStatuses, type Facts, readTransportCodes } from './facts.ts';
import { code, table } from './phrases.ts';

/** The sources of the entries. */
interface ErrorSources {
  readonly contract: ContractDocument;
  /** Error code → what it means. */
  readonly meanings: Readonly<Record<string, string>>;
}

/**
 * Writes the index and the entries.
 * @throws Error if a code has no meaning, or a meaning has no code.
 */
export function writeErrors({ contract, meanings }: ErrorSources, operations: readonly Facts[]): string {
  const transport = readTransportCodes(contract);
  const statuses = errorStatuses(contract, operations, transport).sort(([, a], [, b]) => a - b);
  const strangers = Object.keys(meanings).filter((name) => !statuses.some(([known]) => known === name));
  if (strangers.length > 0)
    throw new Error(`guides/errors.yaml explains codes that the contract doesn't have: ${strangers.join(', ')}`);
  const entries = statuses.map(([name, status]) => {
    const meaning = meanings[name];
    if (meaning === undefined) throw new Error(`guides/errors.yaml does not explain ${name}`);
    const users = operations.filter((operation) => operation.codes[status]?.includes(name)).map(({ id }) => id);
    const anywhere = transport[status]?.includes(name) === true;
    const says = `${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}.`;
    return `### ${name}\n\n**${status}** ${says}\n\nOperations: ${operationsText(users, operations, anywhere)}.`;
  });
  return [indexOf(statuses), ...entries].join('\n\n');
}

function indexOf(statuses: readonly (readonly [name: string, status: number])[]): string {
  const rows = [...new Set(statuses.map(([, status]) => status))].map((status) => {
    const names = statuses.filter((one) => one[1] === status).map(([name]) => `[${code(name)}](#${slugOf(name)})`);
    return [String(status), names.join(', ')];
  });
  return table(['Status', 'Codes'], rows);
}

/** Names the operations if the list is short, otherwise gives their number. */
function operationsText(users: readonly string[], all: readonly Facts[], anywhere: boolean): string {
  const others = all.map(({ id }) => id).filter((id) => !users.includes(id));
  const names = (ids: readonly string[]): string => ids.map(code).join(', ');
  let some = `${users.length} operations`;
  if (users.length < 10) some = names(users);
  else if (others.length === 0) some = 'every operation';
  else if (others.length < 4) some = `every operation except ${names(others)}`;
  return [...(anywhere ? ['any request'] : []), ...(users.length === 0 ? [] : [some])].join('; ');
}
