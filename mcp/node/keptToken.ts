/** Keeps an agent's access token in the user's own config folder, because a device code can be redeemed only once. */
import { createHash, randomUUID } from 'node:crypto';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The kept tokens for one address of the interface. */
export interface TokenFile {
  /** The token that a device code was redeemed for. Without a code, the latest token. */
  find(deviceCode?: string): Promise<string | undefined>;
  /** Keeps a token, readable by the user only. @throws Error if it can't be written */
  keep(deviceCode: string, accessToken: string): Promise<void>;
}

/** The content of the file. It has codes as hashes only. */
interface Kept {
  readonly base: string;
  readonly latest: string;
  readonly tokens: Readonly<Record<string, string>>;
}

/** How many redeemed codes the file remembers. Older ones have been replaced. */
const maxCodes = 20;

/** The folder for tokens, by the rules of the system (XDG; `%APPDATA%` on Windows). */
export function configFolder(env: Readonly<Record<string, string | undefined>>): string {
  const named = process.platform === 'win32' ? env['APPDATA'] : env['XDG_CONFIG_HOME'];
  return join(named === undefined || named === '' ? join(homedir(), '.config') : named, 'countersign', 'agents');
}

/** The token file for an address. It is created when the first token is kept. */
export function openTokenFile(folder: string, base: string): TokenFile {
  const file = join(folder, `${hash(base)}.json`);
  const read = async (): Promise<Kept | undefined> => {
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text === undefined) return undefined;
    try {
      const kept = JSON.parse(text) as Kept;
      return kept.base === base && typeof kept.tokens === 'object' ? kept : undefined;
    } catch {
      return undefined;
    }
  };
  return {
    async find(deviceCode) {
      const kept = await read();
      const token = kept?.tokens[deviceCode === undefined ? kept.latest : hash(deviceCode)];
      return typeof token === 'string' ? token : undefined;
    },
    async keep(deviceCode, accessToken) {
      const before = Object.entries((await read())?.tokens ?? {}).slice(1 - maxCodes);
      const latest = hash(deviceCode);
      const kept: Kept = { base, latest, tokens: { ...Object.fromEntries(before), [latest]: accessToken } };
      await mkdir(folder, { recursive: true, mode: 0o700 });
      // Written beside the file and then moved, so that no process reads half of it, and never with wider rights.
      const beside = `${file}.${randomUUID()}`;
      try {
        await writeFile(beside, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
        await chmod(beside, 0o600);
        await rename(beside, file);
      } catch (error) {
        await rm(beside, { force: true });
        throw error;
      }
    },
  };
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
