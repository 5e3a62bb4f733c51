/**
 * A real Chromium, started by the test file that needs one. On Linux x64 it comes out of an npm package, so that
 * `npm ci && npm test` passes on a machine with no browser and none of the libraries that one needs.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium, type LaunchOptions } from 'playwright-core';

const root = new URL('../../../', import.meta.url).pathname;

// The package's own list would switch web security off: pages of any origin could then read any reply.
const flags: string[] = [
  '--no-sandbox',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * Starts a browser: the one that `CHROME_PATH` names, else the packaged one, else (where that does not run) the Chrome
 * that is installed. The caller closes it.
 * @param moreFlags for this browser only.
 * @throws Error of one line that says what to do, when none can be started.
 */
export async function openBrowser(...moreFlags: readonly string[]): Promise<Browser> {
  const named = process.env['CHROME_PATH'] || undefined;
  try {
    return await chromium.launch({ ...(await choose(named)), args: [...flags, ...moreFlags] });
  } catch (error) {
    const which = named === undefined ? '' : ` at CHROME_PATH=${named}`;
    const advice = 'set CHROME_PATH to the executable of a Chrome or Chromium that runs on this machine';
    throw new Error(`No Chromium could be started${which} (${gist(error)}): ${advice}.`);
  }
}

/** What {@link openBrowser} starts: program, environment and flags, for another program that starts a browser. */
export async function findBrowser(): Promise<LaunchOptions> {
  return { ...(await choose(process.env['CHROME_PATH'] || undefined)), args: flags };
}

async function choose(named: string | undefined): Promise<LaunchOptions> {
  if (named !== undefined) return { executablePath: named };
  if (process.platform !== 'linux' || process.arch !== 'x64') return { channel: 'chrome' };
  const folder = await unpack();
  const env = {
    ...process.env,
    LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
    FONTCONFIG_PATH: join(folder, 'fonts'),
  };
  return { executablePath: join(folder, 'chromium'), env };
}

const fontSettings = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;

/**
 * Unpacks the packaged Chromium and its libraries, once per installation.
 *
 * The package unpacks into the temporary folder and trusts whatever lies there. So it is given a folder of its own,
 * which gets its name only when it is complete: a run that was cut short, or another at the same time, does no harm.
 * @returns the folder.
 */
async function unpack(): Promise<string> {
  const packageFolder = dirname(findPackageJSON('@sparticuz/chromium', import.meta.url) ?? '');
  const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as { version: string };
  const cache = join(root, 'node_modules', '.cache');
  const folder = join(cache, `countersign-chromium-${version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const unfinished = mkdtempSync(`${folder}-`);
  try {
    // It takes the libraries along only where it believes itself in that place; it reads both variables on import.
    const env = { ...process.env, TMPDIR: unfinished, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' };
    const script = "await (await import('@sparticuz/chromium')).default.executablePath();";
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], { cwd: root, env });
    // Its own names the places of that environment. With this one a page looks the same on every machine.
    writeFileSync(join(unfinished, 'fonts', 'fonts.conf'), fontSettings);
    renameSync(unfinished, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return folder;
}

/** The one line of a launcher's long message that says why. */
function gist(error: unknown): string {
  const lines = String(error instanceof Error ? error.message : error).split('\n');
  const reason =
    lines.find((line) => /error while loading|ENOENT|EACCES|spawn |not found/i.test(line)) ?? lines[0] ?? '';
  return reason.replace(/^.*?(?:launch: |\[err\] )/, '').trim();
}
