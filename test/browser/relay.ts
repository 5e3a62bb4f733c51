/**
 * A minimal backend of an app: it serves the page, knows its user, holds the API token, and relays the wallet's calls.
 * The page sees neither the token nor the service's address.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import ts from 'typescript';
import { onTestFinished } from 'vitest';
import { projectRoot } from '../../scripts/lib/project.ts';
import { listen } from '../support/process/fetchApp.ts';
import { basic } from '../support/sandbox/harness.ts';
import type { Registration, SignedInUser } from './page/page.ts';

export interface RelaySettings {
  /** The service's base address, with the version. */
  readonly base: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The wallet of the app's only user. */
  readonly accountId: string;
}

/** Puts the backend on a free port until the test ends. @returns the address of the page, without a final slash. */
export async function openRelay(settings: RelaySettings): Promise<string> {
  const accessToken = randomBytes(16).toString('hex');
  // The unused challenges. A challenge protects only if the backend that issued it checks it.
  const challenges = new Set<string>();

  const answer = async (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url);
    if (pathname.startsWith('/relay/')) return relay(request, pathname.slice('/relay'.length), search);
    switch (`${request.method} ${pathname}`) {
      case 'POST /sign-in':
        return Response.json({ accessToken, accountId: settings.accountId } satisfies SignedInUser);
      case 'POST /registration': {
        const challenge = randomBytes(32).toString('base64url');
        challenges.add(challenge);
        return Response.json({ options: creationOptions(challenge) } satisfies Registration);
      }
      default:
        return serveFile(pathname);
    }
  };

  const relay = async (request: Request, path: string, search: string): Promise<Response> => {
    if (request.headers.get('authorization') !== `Bearer ${accessToken}`) return refuse(401, 'Sign in first.');
    if (!/^\/auth\/(credentials|sessions)(\/|$)/.test(path)) return refuse(404, 'This app does not do that.');
    const text = await request.text();
    const { challenge } = (text === '' ? {} : JSON.parse(text)) as { challenge?: string };
    if (challenge !== undefined && !challenges.has(challenge)) return refuse(400, 'This challenge is not ours.');
    const headers = new Headers({ authorization: basic(settings.clientId, settings.clientSecret) });
    copyHeaders(['content-type', 'request-id', 'service-wallet-signature'], request.headers, headers);
    const body = text === '' ? {} : { body: text };
    const response = await fetch(settings.base + path + search, { method: request.method, headers, ...body });
    if (challenge !== undefined && response.status === 201) challenges.delete(challenge);
    const { status } = response;
    const replyHeaders = new Headers();
    copyHeaders(['content-type', 'retry-after'], response.headers, replyHeaders);
    return new Response(status === 204 ? null : await response.text(), { status, headers: replyHeaders });
  };

  const server = await listen({ fetch: answer }, 'localhost', 0);
  onTestFinished(() => server.stop(0));
  return server.address;
}

function creationOptions(challenge: string): PublicKeyCredentialCreationOptionsJSON {
  return {
    challenge,
    rp: { id: 'localhost', name: 'Wallet app' },
    user: { id: randomBytes(16).toString('base64url'), name: 'ada@example.com', displayName: 'Ada' },
    pubKeyCredParams: [-7, -257, -8].map((alg) => ({ type: 'public-key', alg })),
  };
}

/** In the service's error shape, so that the page reads every error in the same way. */
function refuse(status: number, message: string): Response {
  return Response.json({ status, code: 'APP', message }, { status });
}

function copyHeaders(names: readonly string[], from: Headers, to: Headers): void {
  for (const name of names) {
    const value = from.get(name);
    if (value !== null) to.set(name, value);
  }
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.ts': 'text/javascript',
};

const served = /^\/(client|contract|generated|test\/browser\/page|node_modules\/(@hpke|@noble|@scure|openapi-fetch))\//;

/** A file of the project at its own path. TypeScript is served without its types. */
function serveFile(pathname: string): Response {
  const path = pathname === '/' ? '/test/browser/page/index.html' : pathname;
  const type = types[extname(path)];
  if (type === undefined || !served.test(path)) return new Response('Not here.', { status: 404 });
  const text = readFileSync(join(projectRoot, path), 'utf8');
  const options = { target: ts.ScriptTarget.ES2024, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true };
  const body = extname(path) === '.ts' ? ts.transpileModule(text, { compilerOptions: options }).outputText : text;
  return new Response(body, { headers: { 'content-type': type } });
}
