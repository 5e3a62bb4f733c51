/** Runs `countersign mcp`. */
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { readBundle } from '../../contract/file.ts';
import { maskUrl } from '../../contract/mask.ts';
import { basePath } from '../../contract/match.ts';
import { version } from '../../generated/operations.ts';
import { tame } from '../../mcp/foreignText.ts';
import { connectAgent, connectLate, NotConnected } from '../../mcp/node/connect.ts';
import { configFolder, openTokenFile } from '../../mcp/node/keptToken.ts';
import { serveAgent } from '../../mcp/node/local.ts';
import { createRedact } from '../../mcp/redact.ts';
import { createService, type Service } from '../../mcp/service.ts';
import { type AskAbove, newMemory } from '../../mcp/session.ts';
import type { Pulse } from '../../mcp/watch.ts';
import { clearInterval, pause, setInterval } from '../../mocks/sandbox/node/machine/timers.ts';
import type { Context, Lifecycle } from '../command/command.ts';
import { WrongUse } from '../command/exit.ts';

/** The flags, as cli/mcp.ts describes them. */
export interface McpFlags {
  readonly url: string;
  readonly 'device-code': string | undefined;
  readonly token: string | undefined;
  readonly ephemeral: boolean;
  readonly 'ask-above': string | undefined;
  readonly platform: boolean;
  readonly credentials: string;
}

/** How long requests in flight may take at the end. A payment that was sent is made in any case. */
const lastWordMs = 5_000;
/** How often it checks whether a resource has changed, while a client is subscribed. */
const lookMs = 5_000;

/** Serves until its input ends or it is stopped. Its stdout belongs to the protocol. */
export async function runMcp(
  flags: McpFlags,
  context: Context & { readonly lifecycle: Lifecycle },
): Promise<undefined> {
  const { output, lifecycle, env } = context;
  const { base, control } = readAddress(flags.url);
  const askAbove = readAskAbove(flags['ask-above']);
  const tokens: string[] = [];
  const redact = createRedact(tokens);
  const authorization = `Basic ${Buffer.from(flags.credentials).toString('base64')}`;
  const platform = flags.platform ? { control, authorization } : undefined;
  const connect = connection(flags, base, env);
  const open = async (): Promise<Service> => {
    const accessToken = await connect();
    tokens.push(accessToken);
    const door = { base: `${control}/watch${base.slice(base.lastIndexOf('/'))}`, isSure: false };
    return createService({ base, door, fetch, accessToken, platform });
  };
  // A redeemed code is kept for the next start. With `--ephemeral` nothing is kept, so the code is redeemed only when
  // needed.
  const service = flags.ephemeral ? connectLate(open) : await open().catch(refuseStart);
  const tellError = (error: Error): void => output.stderr(`MCP: ${redact(tame(error.message))}\n`);
  const close = serveAgent(
    { service, askAbove, hasPlatform: flags.platform, redact, document: async () => readBundle(), memory: newMemory() },
    { transport: new StdioServerTransport(), pulse, onerror: tellError },
  );
  let isEnding = false;
  const end = async (): Promise<void> => {
    if (isEnding) return;
    isEnding = true;
    await close();
    await Promise.race([service.settled(), pause(lastWordMs)]);
    process.exit(0);
  };
  lifecycle.takeOver(() => void end());
  process.stdin.once('end', () => void end()).once('close', () => void end());
}

const pulse: Pulse = (beat) => {
  const timer = setInterval(beat, lookMs);
  timer.unref();
  return () => clearInterval(timer);
};

/** @throws WrongUse */
function readAddress(given: string): { readonly base: string; readonly control: string } {
  const url = /^https?:\/\/./.test(given) ? URL.parse(given) : null;
  if (url === null || url.search !== '' || url.hash !== '') {
    throw new WrongUse(`"${maskUrl(given)}" isn't an address such as http://localhost:4010.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new WrongUse(
      'The address of --url contains credentials. Remove them: an agent connects with a device code or a token.',
    );
  }
  const path = url.pathname.replace(/\/+$/, '');
  const before = path.endsWith(`/${version}`) ? path.slice(0, -version.length - 1) : path;
  return { base: `${url.origin}${path === '' ? basePath : path}`, control: `${url.origin}${before}/__sandbox` };
}

/** @throws WrongUse */
function readAskAbove(given: string | undefined): AskAbove {
  if (given === undefined) return 'policy';
  if (given === 'never') return given;
  if (/^\d{1,15}$/.test(given)) return Number(given);
  throw new WrongUse('--ask-above takes an amount in the smallest unit, such as 10000, or never.');
}

/** How the command gets its token. @throws WrongUse for flags that don't go together */
function connection(flags: McpFlags, base: string, env: Context['env']): () => Promise<string> {
  const { token, 'device-code': deviceCode, ephemeral } = flags;
  if (token !== undefined && deviceCode !== undefined) {
    throw new WrongUse('Give either --device-code or --token, not both.');
  }
  if (ephemeral && deviceCode === undefined) {
    throw new WrongUse('--ephemeral needs --device-code. Without a code, only a kept token could be used.');
  }
  if (token !== undefined) {
    if (/^[A-Za-z0-9._~+/-]+=*$/.test(token)) return async () => token;
    throw new WrongUse("The value of --token has characters that an access token can't have. Copy the token again.");
  }
  const file = ephemeral ? undefined : openTokenFile(configFolder(env), base);
  return () => connectAgent({ base, deviceCode, file, fetch });
}

/** @throws WrongUse */
function refuseStart(error: unknown): never {
  throw error instanceof NotConnected ? new WrongUse(error.message) : error;
}
