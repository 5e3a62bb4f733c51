/**
 * Runs the sandbox of the browser build in a real Chromium, for the suites that test it: `globalSetup` of the Vitest
 * project `chromium`. One bundle and one page serve all tests. A test calls the page through a port of this process
 * (inPage.ts), so that its file needs no browser.
 */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import type { TestProject } from 'vitest/node';
import { forPages, sqliteWasm } from '../../../scripts/build/browser.ts';
import { projectRoot } from '../../../scripts/lib/project.ts';
import { openBrowser } from './browser.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the bridge to the page; undefined in the other projects. */
    sandboxPage: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const bridge = await openBridge();
  project.provide('sandboxPage', bridge.url);
  return () => bridge.close();
}

/** A page with the browser build, and the port that forwards calls to it. */
export interface Bridge {
  readonly url: string;
  readonly page: Page;
  close(): Promise<void>;
}

/** Builds the page, opens it in a new browser, and listens on a free local port. */
export async function openBridge(): Promise<Bridge> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-page-'));
  // A test may pause between two calls. If the connection closed meanwhile, the second call would be lost.
  const server = createServer({ keepAliveTimeout: 600_000 });
  const close: (() => Promise<void>)[] = [];
  const bridge = {
    close: async () => {
      for (const each of close.reverse()) await each();
    },
  };
  close.push(async () => rmSync(folder, { recursive: true, force: true }));
  try {
    await build(folder);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    close.push(async () => {
      server.closeAllConnections();
      server.close();
    });
    const browser = await openBrowser();
    close.push(() => browser.close());
    const page = await browser.newPage();
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    serve(server, folder, page);
    await page.goto(`${url}/`);
    await page.waitForFunction('globalThis.sandboxCalls !== undefined');
    return { url, page, ...bridge };
  } catch (error) {
    await bridge.close();
    throw error;
  }
}

async function build(folder: string): Promise<void> {
  const bundle = await rolldown({
    cwd: projectRoot,
    input: { entry: 'test/support/browser/pageEntry.ts' },
    platform: 'browser',
    plugins: [...forPages],
    checks: { ineffectiveDynamicImport: false, pluginTimings: false },
    onLog(level, log) {
      if (level === 'warn') throw new Error(log.message);
    },
  });
  await bundle.write({ dir: folder, format: 'esm', entryFileNames: 'entry.js', strictExecutionOrder: true });
  await bundle.close();
}

const types: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.wasm': 'application/wasm' };
const html = '<!doctype html><title>Sandboxes of tests</title><script type="module" src="/entry.js"></script>';

function serve(server: Server, folder: string, page: Page): void {
  server.on('request', async (request, response) => {
    const path = request.url ?? '/';
    if (request.method === 'POST') {
      const reply = await call(page, request).catch((error: unknown) => ({ failed: String(error) }));
      response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ value: reply }));
    } else if (path === '/') {
      response.setHeader('Content-Type', 'text/html').end(html);
    } else if (path.endsWith('.wasm')) {
      response.setHeader('Content-Type', 'application/wasm').end(readFileSync(sqliteWasm));
    } else {
      const file = join(folder, basename(path));
      response.setHeader('Content-Type', types[extname(path)] ?? 'text/plain').end(readFileSync(file));
    }
  });
}

/** Calls a function of the page: the path is its name, the body its arguments. */
async function call(page: Page, request: IncomingMessage): Promise<unknown> {
  const name = (request.url ?? '/').slice(1);
  const given = JSON.parse(await text(request)) as unknown[];
  return page.evaluate(
    ([called, values]) =>
      (globalThis as unknown as { sandboxCalls: Record<string, (...given: unknown[]) => unknown> }).sandboxCalls[
        called
      ]?.(...values),
    [name, given] as const,
  );
}
