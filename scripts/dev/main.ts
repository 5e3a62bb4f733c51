/**
 * `npm run dev`: runs the sandbox, and restarts it when its code, the console or the contract changes. If the contract
 * doesn't bundle, or leaves a fact open, it reports that and keeps the running sandbox. Flags go to the sandbox: `npm
 * run dev -- --port 4011`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defineCommand, type Flags, type Given, type Lifecycle, withLifecycle } from '../../cli/command/command.ts';
import { startFlags } from '../../cli/start.ts';
import { generateAll, writeGenerated } from '../generate/main.ts';
import { projectRoot } from '../lib/project.ts';
import { watchTree } from '../lib/watch.ts';

// An editor may write a file in several steps, and a branch switch changes many files.
const quietMs = 150;
// The sandbox finishes the requests in flight. After this time it hangs and is killed.
const stopDeadlineMs = 5000;

const watched = ['cli', 'client', 'console', 'contract', 'mcp', 'mocks', 'openapi', 'traffic'];
const relevant = /\.(?:tsx?|mjs|js|json|yaml|css|html)$/;
/** The sources of generated/. */
const generating = /^(?:openapi|console)\//;

/** The flags that the sandbox is started with. */
let flags: readonly string[] = [];
/** The running sandbox; undefined if it has stopped or was told to stop. */
let sandbox: ChildProcess | undefined;
/** Every sandbox process that has not ended yet. */
const children = new Set<ChildProcess>();
let stopping = false;

function start(): void {
  const child = spawn(process.execPath, [join(projectRoot, 'cli/countersign.mjs'), 'start', ...flags], {
    cwd: projectRoot,
    stdio: ['ignore', 'inherit', 'inherit'],
    // A separate process group: Ctrl-C reaches only this process, so the sandbox gets one signal. It ends with us
    // anyway.
    detached: true,
    env: { ...process.env, COUNTERSIGN_OUTLIVE: 'no' },
  });
  sandbox = child;
  children.add(child);
  child.once('exit', (code) => {
    children.delete(child);
    if (sandbox !== child) return;
    sandbox = undefined;
    if (!stopping) console.log(`[dev] the sandbox stopped (${code ?? 'by a signal'}); waiting for a change`);
  });
}

/** Resolves when the sandbox has stopped and its port is free. */
function stop(): Promise<void> {
  const child = sandbox;
  sandbox = undefined;
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const deadline = setTimeout(() => child.kill('SIGKILL'), stopDeadlineMs);
    child.once('exit', () => {
      clearTimeout(deadline);
      resolve();
    });
    child.kill('SIGTERM');
  });
}

/**
 * Updates generated/ after a change of the contract or the console. Prints a fault and returns false if there is one.
 */
async function regenerate(): Promise<boolean> {
  try {
    const { written, removed } = await writeGenerated(await generateAll());
    if (written.length > 0) console.log(`[dev] wrote ${written.join(', ')}`);
    if (removed.length > 0) console.log(`[dev] removed ${removed.join(', ')}`);
    return true;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    console.error('[dev] the contract or the console has a fault; the sandbox goes on with the last good one');
    return false;
  }
}

const changed = new Set<string>();
let working = false;
let quiet: NodeJS.Timeout | undefined;

function onChange(file: string): void {
  changed.add(file);
  clearTimeout(quiet);
  quiet = setTimeout(applyChanges, quietMs);
}

async function applyChanges(): Promise<void> {
  // Changes during a round are picked up at its end.
  if (working || stopping) return;
  working = true;
  while (changed.size > 0 && !stopping) {
    const files = [...changed].sort();
    changed.clear();
    const more = files.length === 1 ? '' : ` and ${files.length - 1} more`;
    console.log(`[dev] ${files[0]}${more} changed`);
    if (files.some((file) => generating.test(file)) && !(await regenerate())) continue;
    await stop();
    if (!stopping) start();
  }
  working = false;
}

async function quit(): Promise<void> {
  if (stopping) return;
  stopping = true;
  await stop();
  process.exit(0);
}

/** Runs until it is told to stop. A second Ctrl-C kills the sandbox before it finishes the requests in flight. */
async function run({ typed, lifecycle }: Given<Flags> & { readonly lifecycle: Lifecycle }): Promise<undefined> {
  flags = typed;
  lifecycle.takeOver(() => void quit());
  // However this process ends, the port must become free.
  process.on('exit', () => {
    for (const child of children) child.kill('SIGKILL');
  });
  for (const folder of watched.filter((name) => existsSync(join(projectRoot, name)))) {
    watchTree(projectRoot, folder, (file) => {
      if (relevant.test(file)) onChange(file);
    });
  }
  if (await regenerate()) console.log(`[dev] watching ${watched.join('/, ')}/; Ctrl-C stops`);
  if (!stopping) start();
}

const { detach: _, ...startedFlags } = startFlags;

export const command = defineCommand({
  name: 'dev',
  call: 'npm run dev',
  script: 'dev',
  does: 'run the sandbox, and restart it after each change',
  about: `
Restarts the sandbox when its code, the console or the contract changes. If the contract doesn't bundle, or leaves a fact
open, it reports that and keeps the running sandbox. It takes the flags of the sandbox, except --detach: use
npm start -- --detach.`,
  flags: startedFlags,
  examples: [['--port 4011', 'on another port']],
  ends: 'Ctrl-C or SIGTERM ends it with 0.',
  run: (given) => run(withLifecycle(given)),
});
