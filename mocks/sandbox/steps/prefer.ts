import type { Contract } from '../../../contract/contract.ts';
import type { Operation } from '../../../generated/operations.ts';
import { invalid } from '../tools/problem.ts';

/** The preferences of a client in `Prefer: code=…, example=…`. */
export interface Preference {
  readonly code?: string;
  readonly example?: string;
}

/** A documented reply, exactly as in the contract. */
export interface CannedReply {
  readonly status: number;
  readonly example: string | undefined;
  readonly body: unknown;
  /** The headers that the contract has for that status, such as `Retry-After`. */
  readonly headers: Readonly<Record<string, string>>;
  /** For the `Preference-Applied` header. */
  readonly applied: string;
}

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const word = `(?:${token}|"(?:[^"\\\\]|\\\\.)*")`;
const preference = new RegExp(`^\\s*(${token})\\s*(?:=\\s*(${word})\\s*)?(?:;.*)?$`);

/**
 * Reads the header (RFC 7240): several preferences and header lines, quoted values, parameters after a semicolon. The
 * first preference of a name counts, and unknown ones are ignored.
 */
export function readPrefer(header: string | null): Preference {
  const found: { code?: string; example?: string } = {};
  for (const item of header?.match(/(?:[^,"]|"(?:[^"\\]|\\.)*")+/g) ?? []) {
    const [, name, value = ''] = preference.exec(item) ?? [];
    const key = name?.toLowerCase();
    if (key !== 'code' && key !== 'example') continue;
    found[key] ??= value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value;
  }
  return found;
}

/**
 * The named example that the client prefers; null if it prefers none (D49).
 * @throws Problem 400 if the operation doesn't declare the code or doesn't have the example. It lists the valid ones.
 */
export function chooseExample(contract: Contract, operation: Operation, header: string | null): CannedReply | null {
  const { code, example } = readPrefer(header);
  if (code === undefined && example === undefined) return null;
  const statuses = code === undefined ? operation.statuses.map(String) : [code];
  const declared = operation.statuses.map(String);
  if (code !== undefined && !declared.includes(code)) {
    throw refused(`${operation.id} declares no status ${code}, only ${declared.join(', ')}`);
  }
  for (const status of statuses) {
    const examples = contract.examples(operation, Number(status));
    const chosen = example === undefined ? examples[0] : examples.find(({ name }) => name === example);
    // Without a name, a status that has no example is chosen with no body.
    if (chosen === undefined && example !== undefined) continue;
    const applied = [
      code === undefined ? [] : `code=${code}`,
      example === undefined ? [] : `example=${example}`,
    ].flat();
    return {
      status: Number(status),
      example: chosen?.name,
      body: chosen?.value,
      headers: contract.exampleHeaders(operation, Number(status)),
      applied: applied.join(', '),
    };
  }
  const names = statuses.flatMap((status) => contract.examples(operation, Number(status)).map(({ name }) => name));
  throw refused(
    `${operation.id} has no example "${example}"${code === undefined ? '' : ` for ${code}`}, only ${names.join(', ')}`,
  );
}

function refused(message: string) {
  return invalid([{ in: 'header', pointer: '/Prefer', message }]);
}
