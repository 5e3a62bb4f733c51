/** Adds the built console to the site, connected to the sandbox in the page. */
import { consolePolicy } from '../../mocks/sandbox/node/consolePage.ts';
import { escapeHtml } from '../../mocks/sandbox/transport/html.ts';
import { consoleFolder, served } from '../generate/console.ts';

/** The settings that the page gets (console/platform/inPage.ts). */
export interface ConsoleAccess {
  readonly basePath: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

const toRoot = '../';

// A policy in the page itself can't set `frame-ancestors`. The sandbox is started with a script address, so the console
// allows that one and no other.
const policy = [...consolePolicy, "require-trusted-types-for 'script'", 'trusted-types default'].join('; ');

/**
 * Adds the console below `console/`. A static host only answers at a file's own address, so there the console keeps its
 * place in the query.
 * @param generated the generated files with the built console, by paths from the project's root
 */
export function addConsole(
  files: Map<string, string>,
  generated: ReadonlyMap<string, string>,
  { basePath, clientId, clientSecret }: ConsoleAccess,
): void {
  const worker = `${toRoot}service-worker.js`;
  const settings = { worker, contract: `${toRoot}openapi.json`, basePath, clientId, clientSecret };
  const head = [
    `<meta http-equiv="Content-Security-Policy" content="${escapeHtml(policy)}" />`,
    `<meta name="countersign-in-page" content="${escapeHtml(JSON.stringify(settings))}" />`,
  ];
  for (const [path, text] of generated) {
    if (!path.startsWith(`${consoleFolder}/`)) continue;
    const name = path.slice(consoleFolder.length + 1);
    files.set(`console/${name}`, name === 'index.html' ? wire(text, head) : text);
  }
}

function wire(page: string, head: readonly string[]): string {
  return page
    .replaceAll(`"${served}`, '"')
    .replace('/reference/control.html', `${toRoot}reference/control.html`)
    .replace('If this text stays, reload the page.', 'It needs a web server: it does not start from a file.')
    .replace('<meta charset="utf-8" />', (charset) => [charset, ...head].join('\n    '));
}
