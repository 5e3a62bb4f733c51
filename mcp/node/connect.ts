/** Gets the access token of a command's agent. */
import { readRefusal } from '../refusals.ts';
import type { Answered, Service } from '../service.ts';
import type { TokenFile } from './keptToken.ts';

/** The command has no token. The message is for the user, and contains neither code nor token. */
export class NotConnected extends Error {}

export interface ConnectParts {
  readonly base: string;
  readonly deviceCode: string | undefined;
  /** Where tokens are kept; undefined to keep none. */
  readonly file: TokenFile | undefined;
  readonly fetch: (request: Request) => Promise<Response>;
}

/**
 * Returns the token that was kept for the device code. If there is none, redeems the code. Without a code, returns the
 * latest token that was kept.
 * @throws NotConnected
 */
export async function connectAgent({ base, deviceCode, file, fetch }: ConnectParts): Promise<string> {
  const kept = await file?.find(deviceCode);
  if (kept !== undefined) return kept;
  if (deviceCode === undefined) {
    throw new NotConnected(
      'No token is kept for this address. Give the device code of the agent with --device-code, or its token with --token.',
    );
  }
  const accessToken = await redeem(base, deviceCode, fetch);
  try {
    await file?.keep(deviceCode, accessToken);
  } catch {
    throw new NotConnected(
      'The device code was redeemed, and its token could not be kept: the config folder takes no file. Mend that (or add --ephemeral), and ask the platform for a new device code.',
    );
  }
  return accessToken;
}

async function redeem(base: string, deviceCode: string, fetch: ConnectParts['fetch']): Promise<string> {
  const address = `${base}/agents/device-codes/${encodeURIComponent(deviceCode)}/redeem`;
  const answer = await fetch(new Request(address, { method: 'POST', redirect: 'error' })).catch(() => undefined);
  if (answer === undefined)
    throw new NotConnected('Nothing answers at this address. Start the sandbox, or name another with --url.');
  const body: unknown = await answer.json().catch(() => undefined);
  if (answer.status === 200) {
    const { accessToken } = (body ?? {}) as { readonly accessToken?: unknown };
    if (typeof accessToken === 'string') return accessToken;
    throw new NotConnected('The answer of this address has no access token. Is it the base address of the interface?');
  }
  const { code, reason } = readRefusal(body);
  const named = reason === undefined ? code : `${code}, ${reason}`;
  throw new NotConnected(`The device code was refused (${answer.status} ${named}). Ask the platform for a new one.`);
}

/**
 * A service whose agent connects with the first call. Some clients start a server only to ask for its capabilities, and
 * that must not use up the device code.
 * @param connect gets the token and makes the service; called again if it failed
 */
export function connectLate(connect: () => Promise<Service>): Service {
  let connected: Promise<Service> | undefined;
  const through = async (work: (service: Service) => Promise<Answered>): Promise<Answered> => {
    connected ??= connect();
    let service: Service;
    try {
      service = await connected;
    } catch (error) {
      connected = undefined;
      if (!(error instanceof NotConnected)) throw error;
      return { status: 401, body: { code: 'UNAUTHORIZED', message: error.message }, isReplay: false };
    }
    return work(service);
  };
  return {
    ask: (asked) => through((service) => service.ask(asked)),
    watch: (address) => through((service) => service.watch(address)),
    async settled() {
      await (await connected?.catch(() => undefined))?.settled();
    },
  };
}
