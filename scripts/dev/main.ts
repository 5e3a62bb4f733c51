/**
 * `npm run dev`: the sandbox, started again when its code, the console or the contract changes. A contract that does not bundle, or
 * leaves a fact open, is reported and the running sandbox stays. Flags go to the sandbox: `npm run dev -- --port 4011`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defineCommand, type Flags, type Given, type Lifecycle, withLifecycle } from '../../cli/command/command.ts';
import { startFlags } from '../../cli/start.ts';
import { generateAll, writeGenerated } from '../generate/main.ts';
import { projectRoot } from '../lib/project.ts';
import { watchTree } from '../lib/watch.ts';

// Editors write a file in several steps, and a change of branch touches many.
const quietMs = 150;
// The sandbox finishes what is in flight; after this long it is stuck.
const stopDeadlineMs = 5000;

const watched = ['cli', 'client', 'console', 'contract', 'mcp', 'mocks', 'openapi', 'traffic'];
const relevant = /\.(?:tsx?|mjs|js|json|yaml|css|html)$/;
/** The sources of generated/. */
const generating = /^(?:openapi|console)\//;

/** What the sandbox is started with. */
let flags: readonly string[] = [];
/** The running sandbox, or undefined when it has stopped or is told to. */
let sandbox: ChildProcess | undefined;
/** Every one that has not ended yet. */
const children = new Set<ChildProcess>();
let stopping = false;

function start(): void {
  const child = spawn(process.execPath, [join(projectRoot, 'cli/countersign.mjs'), 'start', ...flags], {
    cwd: projectRoot,
    stdio: ['ignore', 'inherit', 'inherit'],
    // A process group of its own: Ctrl-C reaches us only, and the sandbox is told once. It ends with us anyway.
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

/** Takes changes of the contract and the console over into generated/; false when there is a fault, which is then printed. */
async function regenerate(): Promise<boolean> {
  try {
    const written = await writeGenerated(await generateAll());
    if (written.length > 0) console.log(`[dev] wrote ${written.join(', ')}`);
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
  // What changes meanwhile is taken up at the end of this round.
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

/** Runs until it is told to stop; a second Ctrl-C leaves the sandbox no time to finish what is in flight. */
async function run({ typed, lifecycle }: Given<Flags> & { readonly lifecycle: Lifecycle }): Promise<undefined> {
  flags = typed;
  lifecycle.takeOver(() => void quit());
  // Whatever ends us must not leave the port taken.
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
  does: 'start the sandbox, and again after each change',
  about: `
Starts the sandbox again when its code, the console or the contract changes. A contract that does not bundle, or leaves a
fact open, is reported, and the running sandbox stays. It takes the flags of the sandbox but --detach: use npm start --
--detach.`,
  flags: startedFlags,
  examples: [['--port 4011', 'on another port']],
  ends: 'Ctrl-C or SIGTERM ends it with 0.',
  run: (given) => run(withLifecycle(given)),
});
