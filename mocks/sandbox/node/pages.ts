/** What both mocks serve beside their routes: a start page, the contract, the reference. */
import type { RouteTable } from '../transport/routes.ts';
import { type Link, mountStartPage, type StartPage } from '../transport/startPage.ts';
import { linksOfContract, mountContract } from './contractFiles.ts';
import { mountReference, type ReferenceParts, referenceLink } from './referencePage.ts';

export interface PagesParts extends Pick<StartPage, 'name' | 'about'> {
  /** What the pages suggest to try with; absent where the server lets others in. */
  readonly credentials: ReferenceParts['credentials'];
  /** The bundled contract that is served. */
  readonly contract: URL | string;
  /** What else there is. */
  readonly links?: readonly Link[];
}

/** Adds `/`, `/openapi.json`, `/openapi.yaml` and `/reference/`. */
export function mountPages(table: RouteTable, { name, about, credentials, contract, links = [] }: PagesParts): void {
  mountContract(table, '/openapi', contract);
  const hasReference = mountReference(table, credentials === undefined ? {} : { credentials });
  const forTools = 'OpenAPI 3.1, for generators, editors and other tools.';
  mountStartPage(table, {
    name,
    about,
    credentials: credentials === undefined ? undefined : `${credentials.clientId}:${credentials.clientSecret}`,
    links: async () => [
      ...((await hasReference()) ? [referenceLink] : []),
      ...linksOfContract('/openapi', 'Contract', forTools),
      ...links,
    ],
  });
}
