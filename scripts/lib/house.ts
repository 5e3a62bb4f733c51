/** The words of the house rules, read from the linter's configuration, so that there is one list of each. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { projectRoot } from './project.ts';

/** What the house rules allow in a name. */
export interface HouseWords {
  /** The domains: the one tag of an operation, and the folder of its files. */
  readonly domains: readonly string[];
  /** The verbs that an operationId can begin with. */
  readonly verbs: readonly string[];
}

interface Ruleset {
  readonly rules: Readonly<Record<string, { readonly then?: { readonly functionOptions?: Partial<HouseWords> } }>>;
}

/** Reads `.spectral.yaml` of a project: the domains of R02 and the verbs of R01. Throws when either is gone. */
export function readHouseWords(root: string = projectRoot): HouseWords {
  const { rules } = parse(readFileSync(join(root, '.spectral.yaml'), 'utf8')) as Ruleset;
  const domains = rules['R02-operations-are-complete']?.then?.functionOptions?.domains;
  const verbs = rules['R01-operation-ids-are-verbs']?.then?.functionOptions?.verbs;
  if (domains === undefined || verbs === undefined) throw new Error('.spectral.yaml lists no domains or no verbs');
  return { domains, verbs };
}
