/** The pages that both mocks serve beside their routes: a start page, the contract, the reference. */
import type { RouteTable } from '../transport/routes.ts';
import { mountStartPage, type StartPage } from '../transport/startPage.ts';
import { consoleLink, mountConsole } from './consolePage.ts';
import { guidesLink, linksOfContract, mountContract, mountGuides } from './contractFiles.ts';
import { mountReference, type PageSettings, type ReferenceParts, referenceLinks } from './referencePage.ts';

export interface PagesParts extends Pick<StartPage, 'name' | 'about'> {
  /** The credentials that the pages suggest; absent if the server lets other machines in. */
  readonly credentials: Pick<PageSettings, 'clientId' | 'clientSecret'> | undefined;
  /** The credentials that the reference page uses, if they are different. */
  readonly reference?: ReferenceParts['access'];
  /** The bundled contract that is served. */
  readonly contract: URL | string;
  /** The contract of the control surface, if there is one. */
  readonly control?: URL;
}

/** Adds `/`, `/guides.md`, `/openapi.json`, `/openapi.yaml`, the same below `/__sandbox`, `/reference/` and `/console`. */
export function mountPages(table: RouteTable, parts: PagesParts): void {
  const { name, about, credentials, contract, control } = parts;
  const access = parts.reference ?? (async () => credentials as PageSettings);
  mountContract(table, '/openapi', contract);
  mountGuides(table, contract);
  if (control !== undefined) mountContract(table, '/__sandbox/openapi', control);
  const hasReference = mountReference(table, {
    ...(credentials === undefined ? {} : { access }),
    ...(control === undefined ? {} : { controlPath: '/__sandbox' }),
  });
  // The console needs the control surface.
  const hasConsole = control === undefined ? async () => false : mountConsole(table);
  const forTools = 'OpenAPI 3.1, for generators, editors and other tools.';
  mountStartPage(table, {
    name,
    about,
    credentials: credentials === undefined ? undefined : `${credentials.clientId}:${credentials.clientSecret}`,
    links: async () => {
      const isThere = await hasReference();
      return [
        ...((await hasConsole()) ? [consoleLink] : []),
        ...(isThere ? [referenceLinks.interface] : []),
        guidesLink,
        ...linksOfContract('/openapi', 'Contract', forTools),
        ...(isThere && control !== undefined ? [referenceLinks.control] : []),
        ...(control === undefined ? [] : linksOfContract('/__sandbox/openapi', 'Control surface', forTools)),
      ];
    },
  });
}
