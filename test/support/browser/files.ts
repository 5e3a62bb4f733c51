/** A static web server for a test: files of a folder, and pages that the test writes. */

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';

/** The answer to a path. The folder is read only if there is none. */
export interface StaticPage {
  /** HTML, unless its headers say otherwise. */
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface StaticHost {
  /** `http://localhost:PORT`. */
  readonly origin: string;
  /** The requested paths, in order. */
  readonly asked: string[];
  close(): void;
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
};

/** Serves a folder like a plain static host, on a free local port. */
export async function serveFiles(
  folder: string,
  pages: Readonly<Record<string, StaticPage>> = {},
): Promise<StaticHost> {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    asked.push(pathname);
    const page = pages[pathname];
    if (page !== undefined) {
      response.writeHead(200, { 'Content-Type': types['.html'], ...page.headers }).end(page.text);
      return;
    }
    const path = pathname.endsWith('/') ? `${pathname}index.html` : pathname;
    const file = await readFile(join(folder, path)).catch(() => undefined);
    if (file === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'Content-Type': types[extname(path)] ?? 'application/octet-stream' }).end(file);
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    asked,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
