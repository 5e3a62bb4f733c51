/**
 * Starts a real Chromium for a test file. On Linux x64 it comes from an npm package, so that `npm ci && npm test`
 * passes on a machine without a browser or its libraries.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium, type LaunchOptions } from 'playwright-core';

const root = new URL('../../../', import.meta.url).pathname;

// The package's default flags would switch web security off: a page of any origin could then read any reply.
const flags: string[] = [
  '--no-sandbox',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * Starts the browser that `CHROME_PATH` names, otherwise the packaged one, otherwise (if that can't run) an installed
 * Chrome. The caller closes it.
 * @param moreFlags for this browser only.
 * @throws Error with one line that says what to do, if none can be started.
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

/** The program, environment and flags that {@link openBrowser} uses, for another program that starts a browser. */
export async function findBrowser(): Promise<LaunchOptions> {
  return { ...(await choose(process.env['CHROME_PATH'] || undefined)), args: flags };
}

async function choose(named: string | undefined): Promise<LaunchOptions> {
  if (named !== undefined) return { executablePath: named, env: withoutLanguage() };
  if (process.platform !== 'linux' || process.arch !== 'x64') return { channel: 'chrome' };
  const folder = await unpack();
  const env = {
    ...withoutLanguage(),
    LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
    FONTCONFIG_PATH: join(folder, 'fonts'),
  };
  return { executablePath: join(folder, 'chromium'), env };
}

/**
 * As in a container or a CI job. On Linux the browser then reports `en-US@posix`, which `Intl` refuses, so the pages are
 * tested with the language that is hardest for them.
 */
function withoutLanguage(): NodeJS.ProcessEnv {
  const { LC_ALL: _all, LC_MESSAGES: _messages, LANGUAGE: _language, ...env } = process.env;
  return { ...env, LANG: 'C' };
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
 * The package unpacks into the temporary folder and trusts the files that it finds there. So it gets a new folder,
 * which is renamed when it is complete. An interrupted or a parallel run does no harm.
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
    // The package unpacks the libraries only if it believes that it runs on Lambda. It reads both variables on import.
    const env = { ...process.env, TMPDIR: unfinished, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' };
    const script = "await (await import('@sparticuz/chromium')).default.executablePath();";
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], { cwd: root, env });
    // The package's own font settings name Lambda's folders. With this file a page looks the same on every machine.
    writeFileSync(join(unfinished, 'fonts', 'fonts.conf'), fontSettings);
    renameSync(unfinished, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return folder;
}

/** The line of a launcher's long message that names the cause. */
function gist(error: unknown): string {
  const lines = String(error instanceof Error ? error.message : error).split('\n');
  const reason =
    lines.find((line) => /error while loading|ENOENT|EACCES|spawn |not found/i.test(line)) ?? lines[0] ?? '';
  return reason.replace(/^.*?(?:launch: |\[err\] )/, '').trim();
}
