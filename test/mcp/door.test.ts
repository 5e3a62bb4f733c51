/**
 * Promise: what watches for MCP reads where it leaves no trace, if the service has such a place, and otherwise like any
 * client. The token is sent only where the service is (mcp/service.ts).
 */
import { describe, expect, it } from 'vitest';
import { basePath, watchPath } from '../../contract/match.ts';
import { createService, NoAnswer } from '../../mcp/service.ts';
import { baseUrl, must, openSandbox, origin } from '../support/sandbox/harness.ts';
import { openAgentStage } from '../support/scenes/agents.ts';

const doorBase = origin + watchPath + basePath;
const door = { base: doorBase, isSure: false };

/** A service that answers what a test says, and what it was asked. */
function pretend(answer: (line: string) => Response | undefined) {
  const asked: string[] = [];
  const service = createService({
    base: baseUrl,
    door,
    accessToken: 'secret',
    async fetch(request) {
      const line = `${request.method} ${request.url.slice(origin.length)}`;
      asked.push(request.headers.has('authorization') ? `${line} with the token` : line);
      const response = answer(line);
      if (response === undefined) throw new TypeError('no connection');
      return response;
    },
  });
  return { service, asked };
}

const options = `OPTIONS ${watchPath}${basePath}/agents/me`;
const atDoor = `GET ${watchPath}${basePath}/agents/me`;
const atBase = `GET ${basePath}/agents/me`;
const there = () => new Response(null, { status: 204, headers: { allow: 'GET, HEAD, OPTIONS' } });
const notFound = () => Response.json({ code: 'NOT_FOUND' }, { status: 404 });

describe('a watcher', () => {
  it('leaves no trace at a sandbox', async () => {
    const sandbox = await openSandbox();
    const { agent } = await openAgentStage(sandbox);
    const { fetch } = sandbox;
    for (const isSure of [true, false]) {
      must(await sandbox.control('DELETE', '/journal'));
      const service = createService({
        base: baseUrl,
        door: { ...door, isSure },
        fetch,
        accessToken: agent.accessToken,
      });
      expect((await service.watch('/agents/me')).body).toEqual(await agent.look());
      const { data } = (await sandbox.control('GET', '/journal')).body;
      expect(data.map(({ operationId }: { operationId: string }) => operationId)).toEqual(['getAgent']);
    }
  });

  it('reads like any client where nothing is known of a door, and sends no token there', async () => {
    for (const answer of [notFound, () => new Response(null, { status: 204 }), () => Response.json({})]) {
      const { service, asked } = pretend((line) => (line === atBase ? Response.json({ id: 'Agent:1' }) : answer()));
      for (let number = 0; number < 2; number += 1) {
        expect((await service.watch('/agents/me')).body).toEqual({ id: 'Agent:1' });
      }
      expect(asked).toEqual([options, `${atBase} with the token`, `${atBase} with the token`]);
    }
  });

  it('does so too where the door has no such agent', async () => {
    const { service, asked } = pretend((line) =>
      line === options ? there() : line === atDoor ? notFound() : Response.json({}),
    );
    expect((await service.watch('/agents/me')).status).toBe(200);
    expect((await service.watch('/agents/me')).status).toBe(200);
    expect(asked).toEqual([
      options,
      `${atDoor} with the token`,
      `${atBase} with the token`,
      `${atBase} with the token`,
    ]);
  });

  it.each<[string, () => Response | undefined]>([
    ['no answer', () => undefined],
    ['a fault of the server', () => Response.json({ code: 'STORAGE_UNAVAILABLE' }, { status: 503 })],
  ])('asks again after %s', async (_what, fault) => {
    let isDown = true;
    const { service, asked } = pretend((line) => {
      if (isDown) return fault();
      return line === options ? there() : Response.json({ line });
    });
    await service.watch('/agents/me').catch((error: unknown) => expect(error).toBeInstanceOf(NoAnswer));
    isDown = false;
    expect((await service.watch('/agents/me')).body).toEqual({ line: atDoor });
    expect(asked.slice(-3)).toEqual([options, `${atDoor} with the token`, `${atDoor} with the token`]);
  });

  it('learns that its token has ended', async () => {
    const refused = () => Response.json({ code: 'UNAUTHORIZED' }, { status: 401 });
    const { service } = pretend((line) => (line === options ? there() : refused()));
    expect((await service.watch('/agents/me')).status).toBe(401);
  });
});
