/** Reads the lists of words of the house rules from the linter's configuration, so that each list exists once. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { projectRoot } from './project.ts';

/** The words that the house rules allow in names. */
export interface HouseWords {
  /** The domains. An operation has one as its tag, and its files are in the folder with that name. */
  readonly domains: readonly string[];
  /** The verbs that an operationId can begin with. */
  readonly verbs: readonly string[];
}

interface Ruleset {
  readonly rules: Readonly<Record<string, { readonly then?: { readonly functionOptions?: Partial<HouseWords> } }>>;
}

/** Reads `.spectral.yaml` of a project: the domains of R02 and the verbs of R01. Throws if either is missing. */
export function readHouseWords(root: string = projectRoot): HouseWords {
  const { rules } = parse(readFileSync(join(root, '.spectral.yaml'), 'utf8')) as Ruleset;
  const domains = rules['R02-operations-are-complete']?.then?.functionOptions?.domains;
  const verbs = rules['R01-operation-ids-are-verbs']?.then?.functionOptions?.verbs;
  if (domains === undefined || verbs === undefined) throw new Error('.spectral.yaml lists no domains or no verbs');
  return { domains, verbs };
}
