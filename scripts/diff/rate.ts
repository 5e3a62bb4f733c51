/** Rates the findings of `redocly diff`, and corrects ratings that are wrong for a client of this contract. */
import type { ContractDocument } from '../lib/contract.ts';
import type { Level } from './change.ts';
import { pointerKeys, valueAt } from './json.ts';
import type { Way } from './uses.ts';

/** A change as `redocly diff --format json` reports it. */
export interface ToolChange {
  readonly typeName: string;
  readonly kind: 'added' | 'removed' | 'modified';
  readonly impact: 'major' | 'minor' | 'patch';
  readonly verdicts: readonly { readonly message: string }[];
  /** The keyword that was modified; `key` if a name changed under which an element is listed. */
  readonly property?: string;
  readonly base?: Side;
  readonly revision?: Side;
}

interface Side {
  readonly pointer: string;
  readonly value?: unknown;
}

export interface Context {
  readonly pointer: string;
  readonly ways: ReadonlySet<Way>;
  /** The older contract in the one spelling of canonical.ts. */
  readonly base: ContractDocument;
}

interface Correction {
  readonly says: string;
  /** Our level, or undefined if this correction doesn't apply. */
  readonly rate: (change: ToolChange, context: Context) => Level | undefined;
}

const words = new Set(['title', 'summary', 'description', 'tags', 'version', 'termsOfService']);

const isComponentSchema = (pointer: string): boolean => /^#?\/components\/schemas\/[^/]+$/.test(pointer);

function isWithin(part: unknown, whole: unknown): boolean {
  return Array.isArray(part) && Array.isArray(whole) && part.every((value) => whole.includes(value));
}

/** Corrections by name, in order. The first that returns a level wins. */
export const corrections = {
  defaults: {
    says: 'a request that leaves it out means something else now',
    rate: ({ property }, { ways }) => (property !== 'default' ? undefined : ways.has('request') ? 'warning' : 'none'),
  },
  deprecation: {
    says: 'it is meant to go',
    rate: ({ property, revision }) =>
      property !== 'deprecated' ? undefined : revision?.value === true ? 'warning' : 'none',
  },
  oneWay: {
    says: 'the field no longer travels both ways',
    rate: ({ property }) => (property === 'readOnly' || property === 'writeOnly' ? 'warning' : undefined),
  },
  pathNames: {
    says: 'the address is the same, generated clients name it',
    rate: ({ typeName, property, impact, base: before }, { base }) => {
      if (impact === 'major') return undefined;
      if (typeName === 'PathItem' && property === 'key') return 'warning';
      const place = valueAt(base, before?.pointer.replace(/\/name$/, '/in') ?? '');
      return typeName === 'Parameter' && property === 'name' && place === 'path' ? 'warning' : undefined;
    },
  },
  schemaNames: {
    says: 'generated types carry this name',
    rate: ({ kind, property }, { pointer }) =>
      isComponentSchema(pointer) && (kind === 'removed' || property === 'key') ? 'warning' : undefined,
  },
  newStatus: {
    says: 'clients branch on the status',
    rate: ({ typeName, kind }, { pointer }) =>
      typeName === 'Response' && kind === 'added' && pointer.startsWith('/paths/') ? 'warning' : undefined,
  },
  lostError: {
    says: 'an error that no longer happens breaks no one',
    rate: ({ typeName, kind }, { pointer }) =>
      typeName === 'Response' && kind === 'removed' && /\/responses\/[45]\d\d$/.test(pointer)
        ? 'compatible'
        : undefined,
  },
  errorCodes: {
    says: 'clients branch on the code',
    rate: ({ property, base: before, revision }, { pointer, base }) => {
      const [, error] = /^(.*\/properties\/)code\/(?:enum|const)$/.exec(pointer) ?? [];
      if (property !== 'enum' || error === undefined || !isWithin(before?.value, revision?.value)) return undefined;
      // Every reply narrows ApiError to its own codes (R09), so a new code in the schema itself doesn't affect any
      // reply.
      if (error === '/components/schemas/ApiError/properties/') return 'compatible';
      return Number(valueAt(base, `${error}status/enum/0`)) >= 400 ? 'warning' : undefined;
    },
  },
  lostMapping: {
    says: 'requests with this tag are refused',
    rate: ({ kind }, { pointer, ways }) =>
      kind === 'removed' && /\/discriminator\/mapping\/[^/]+$/.test(pointer) && ways.has('request')
        ? 'breaking'
        : undefined,
  },
  closedReply: {
    says: 'the reply was closed: who validates by the older contract refuses it',
    rate: ({ kind, impact }, { pointer, ways, base }) => {
      const [, holder] = /^(.*)\/properties\/[^/]+$/.exec(pointer) ?? [];
      if (kind !== 'added' || impact === 'major' || holder === undefined || !ways.has('reply')) return undefined;
      return valueAt(base, `${holder}/additionalProperties`) === false ? 'warning' : undefined;
    },
  },
  words: {
    says: '',
    rate: ({ property, typeName, impact }, { pointer }) => {
      const isWord = property !== undefined && words.has(property);
      const isAside = /^(?:Tag|Contact|License|ExternalDocs)/.test(typeName) || pointerKeys(pointer)[0] === 'tags';
      return impact !== 'major' && (isWord || isAside) ? 'none' : undefined;
    },
  },
} satisfies Readonly<Record<string, Correction>>;

const ownLevels = { major: 'breaking', minor: 'compatible', patch: 'compatible' } as const;

/** Rates one change. `correction` is set if our level differs from the tool's. */
export function rate(change: ToolChange, context: Context): { level: Level; correction?: string; says?: string } {
  for (const [name, { says, rate: ask }] of Object.entries<Correction>(corrections)) {
    const level = ask(change, context);
    if (level !== undefined) return name === 'words' ? { level } : { level, correction: name, says };
  }
  return { level: ownLevels[change.impact] };
}
