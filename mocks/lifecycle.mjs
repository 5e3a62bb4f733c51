// Ends every long-running command. Each entry file imports this before anything else, to notice a parent that ends
// while the command starts. Any Node reads this syntax, and it has no dependencies.
import { readFileSync } from 'node:fs';

const pollMs = 250;
/** Two SIGINTs within this time are one Ctrl-C: the terminal sends it to npm and to us, and npm passes it on. */
const sameCtrlCMs = 200;
/** A stop that takes this long is stuck. The time is longer than a server waits for requests in flight. */
const stopDeadlineMs = 10_000;
/** The exit codes of a process that a signal ends: 128 and the signal's number. */
const exitCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };
const parentEnded = 'the process that started it has ended (--detach keeps it running)';

/** A process as /proc shows it. Undefined if the system has no /proc or the process is gone. */
function look(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the process is in parentheses and may contain spaces.
    const [, parent, , session] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { parent: Number(parent), session: Number(session) };
  } catch {
    return undefined;
  }
}

/** What a process was started with: `environ` or `cmdline`, as a list. Empty if it can't be read. */
function startedWith(pid, what) {
  try {
    return readFileSync(`/proc/${pid}/${what}`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

const isOfScript = (environment) => environment.some((line) => line.startsWith('npm_lifecycle_event='));

/** Whether the environment shows that nohup started the process: shells put the command's path into `_`. */
const isNohup = (environment) => environment.some((line) => /^_=(?:.*\/)?nohup$/.test(line));

function isPackageManager(pid) {
  const [command = '', script = ''] = startedWith(pid, 'cmdline').map((word) => word.split('/').pop());
  return /^(?:npm|npx|pnpm|yarn|bun)\b/.test(/^node/.test(command) ? script : command);
}

/**
 * The processes whose end also ends this one: its parent, and above it all that run the same npm script, including npm
 * itself. The `sh` between npm and this process may outlive npm.
 */
function findParents() {
  const own = look(process.pid);
  const parents = [process.ppid];
  let environment = Object.entries(process.env).map((pair) => pair.join('='));
  const isScript = isOfScript(environment);
  let last = process.pid;
  let hasNohup = false;
  while (own !== undefined) {
    const parent = parents[parents.length - 1];
    const above = look(parent);
    const environmentAbove = startedWith(parent, 'environ');
    // A child of nohup inherits the variable. The process that nohup became has a parent without it.
    hasNohup = hasNohup || (isNohup(environment) && !isNohup(environmentAbove));
    // The first process of a session may have any parent.
    if (last === own.session || above === undefined) break;
    if (isAdopted(own, parent, above, isScript)) return { parents, isOrphan: true, hasNohup };
    if (above.session !== own.session || !isScript || parents.length > 9) break;
    // A process without the variables of npm's scripts is npm itself. Its parent is the user's own shell.
    if (!isOfScript(environmentAbove)) {
      hasNohup = hasNohup || (isNohup(environmentAbove) && !isNohup(startedWith(above.parent, 'environ')));
      break;
    }
    last = parent;
    environment = environmentAbove;
    parents.push(above.parent);
  }
  return { parents, isOrphan: false, hasNohup };
}

/**
 * Whether the process lost its parent before this file ran, and the system's process took over. That process is in
 * another session. In a container it may be process 1 of the same session.
 */
function isAdopted(own, parent, above, isScript) {
  if (above.session !== own.session) return !isScript || !isOfScript(startedWith(parent, 'environ'));
  return isScript && parent === 1 && !isPackageManager(parent) && !isOfScript(startedWith(parent, 'environ'));
}

/** Whether any process between this one and the topmost parent has ended. */
function hasLostParent({ parents }) {
  if (process.ppid !== parents[0]) return true;
  try {
    // Windows still reports the number of a parent that has ended.
    process.kill(parents[0], 0);
  } catch (error) {
    if (error.code === 'ESRCH') return true;
  }
  return parents.slice(1).some((parent, index) => look(parents[index])?.parent !== parent);
}

/**
 * COUNTERSIGN_OUTLIVE decides; if it isn't set, whether nohup started the process. Node resets what nohup did to
 * SIGHUP, so the shell's variable is the only trace. `--detach` starts its process with `detached`.
 */
const wish = process.env['COUNTERSIGN_OUTLIVE'] ?? '';
const started = findParents();
const isDetached = wish === 'detached';
const outlives = wish === '' ? started.hasNohup : wish !== 'no';
const commandLine = process.argv.slice(1);

let stop;
let stoppingSince;
let wasHungUp = false;
let shellGoneFor = 0;

/** Stops the command, once. Before a command runs, there is nothing to finish. */
function end(why, exitCode) {
  if (stop === undefined) {
    if (!(why in exitCodes)) console.error(`Ended before it was ready: ${why}.`);
    process.exit(exitCode);
  } else if (stoppingSince === undefined) {
    stoppingSince = Date.now();
    setTimeout(() => process.exit(3), stopDeadlineMs).unref();
    stop(why);
  } else if (why === 'SIGINT' && Date.now() - stoppingSince > sameCtrlCMs) {
    process.exit(exitCode);
  }
}

function obey(signal) {
  process.on(signal, () => end(signal, exitCodes[signal]));
}

/** Under nohup, npm passes SIGTERM only to its shell. So a shell that ends without SIGHUP was told to stop. */
function wasShellStopped() {
  const [shell] = started.parents;
  shellGoneFor = started.parents.length > 1 && process.ppid !== shell && !wasHungUp ? shellGoneFor + 1 : 0;
  return shellGoneFor > 1;
}

function checkParents() {
  if (outlives ? !isDetached && wasShellStopped() : hasLostParent(started)) {
    end(parentEnded, exitCodes.SIGHUP);
  }
}

if (outlives) {
  process.on('SIGHUP', () => {
    wasHungUp = true;
  });
}
// Until a command runs, a signal ends the process at once, as usual. Process 1 of a container lacks this default.
if (process.pid === 1) for (const signal of ['SIGTERM', 'SIGINT']) obey(signal);
if (isDetached) {
  // The process that started this one with `--detach` has ended before it was ready.
  process.once('disconnect', () => process.exit(exitCodes.SIGHUP));
  // That listener alone would keep a command alive which could not start, and its parent waits until it ends.
  process.channel?.unref();
}
if (started.isOrphan && !outlives) end(parentEnded, exitCodes.SIGHUP);
if (!isDetached) setInterval(checkParents, pollMs).unref();

/** @type {import('../cli/command/command.ts').Lifecycle} */
export const lifecycle = {
  commandLine,
  takeOver(stopCommand) {
    stop = stopCommand;
    process.removeAllListeners('SIGTERM').removeAllListeners('SIGINT');
    for (const signal of Object.keys(exitCodes)) if (signal !== 'SIGHUP' || !outlives) obey(signal);
    // The reader of the output may have gone, for example a terminal or `| head`. The command goes on.
    for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners('error').on('error', () => {});
  },
  tellReady(text) {
    if (!isDetached || !process.connected) return;
    process.removeAllListeners('disconnect');
    process.send({ ready: text });
  },
};
