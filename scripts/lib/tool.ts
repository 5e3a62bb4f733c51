/** Runs the project's tools, each as a separate process. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WrongUse } from '../../cli/command/exit.ts';
import { findPackage, howToAdd } from '../../cli/command/package.ts';
import { projectRoot } from './project.ts';

/** The result of a finished tool. `output` is what it wrote to stdout and stderr, in that order of time. */
export interface ToolResult {
  readonly code: number;
  readonly stdout: string;
  readonly output: string;
}

// The tools must not need a network: no usage reports, no update notices.
const offline = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', FORCE_COLOR: '0', NO_COLOR: '1' };
// A tool consists of thousands of files. Node compiles them once and caches them in its default folder.
const compiled = { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(tmpdir(), 'node-compile-cache') };

/**
 * Finds the script behind an executable of an installed package. So the tool runs on the current Node, whichever `node`
 * is on the PATH.
 *
 * @throws Error if the package isn't installed, or has no such executable.
 */
function toolPath(packageName: string, executable: string): string {
  const folder = findPackage(packageName);
  if (folder === undefined) throw new WrongUse(`${packageName} is not installed. Add it: ${howToAdd([packageName])}`);
  const manifestPath = join(folder, 'package.json');
  const { bin } = JSON.parse(readFileSync(manifestPath, 'utf8')) as { bin?: string | Record<string, string> };
  const script = typeof bin === 'string' ? bin : bin?.[executable];
  if (script === undefined) throw new Error(`${packageName} has no executable named ${executable}`);
  return join(folder, script);
}

/**
 * Runs a tool of the project to its end and collects its output. A non-zero exit is a result, not an error.
 *
 * @param tool the package and its executable, for example `['@redocly/cli', 'redocly']`
 * @param args its arguments
 * @param cwd the folder to run in; the project by default
 * @throws Error if the tool isn't installed or can't be started.
 */
export function runTool(
  tool: readonly [packageName: string, executable: string],
  args: readonly string[],
  cwd: string = projectRoot,
): Promise<ToolResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [toolPath(tool[0], tool[1]), ...args], {
      cwd,
      env: { ...process.env, ...offline, ...compiled },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, stdout, output }));
  });
}
