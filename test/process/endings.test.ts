/**
 * Promise: a long-running command ends with its starter, and when it is told to, at any time. Within two seconds no
 * process is left, its port and its data file are free, and the exit code is that of the table in
 * docs/how-to/background.md.
 *
 * The delays before a signal are what the test is about, so they are real. All rows run with COUNTERSIGN_LONG=1.
 */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  type Begun,
  begin,
  type Ending,
  entryOf,
  exitCodeOf,
  isFree,
  kill,
  type Moment,
  openDataFile,
  poll,
  typed,
  type Way,
} from '../support/process/endings.ts';
import { isLongRun } from '../support/run/length.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';

type Row = [command: string, way: Way, ending: Ending, moment: Moment];

/**
 * Each way, ending and kind of moment at least once. The proxy starts in half the time. The long run also has `dev`.
 */
const representative: Row[] = [
  ['start', 'npm', 'SIGKILL', 'first line'],
  ['proxy', 'npm', 'terminal closed', 'ready'],
  ['proxy', 'direct', 'SIGHUP', 'ready'],
  ['start', 'direct', 'Ctrl-C twice', 'ready'],
  ['mock', 'direct', 'SIGTERM', 'first line'],
  ['proxy', 'direct', 'SIGINT', 'ready'],
  ['proxy', 'npx', 'SIGKILL', 300],
];

const ways: [command: string, ways: Way[]][] = [
  ['start', ['npm', 'npx', 'direct']],
  ['mock', ['npm', 'direct']],
  ['dev', ['npm', 'direct']],
  ['proxy', ['npm', 'npx', 'direct']],
];
const endings: Ending[] = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL', 'terminal closed', 'Ctrl-C twice'];
const moments: Moment[] = [100, 300, 1000, 'first line', 'ready'];
const all = ways.flatMap(([command, those]) =>
  those.flatMap((way) => endings.flatMap((ending) => moments.map((moment): Row => [command, way, ending, moment]))),
);

const isInTerminal = (ending: Ending): boolean => ending === 'terminal closed' || ending === 'Ctrl-C twice';
const readyLine = /ready at http:\/\/[^:\s]+:(\d+)/;

function start(command: string, way: Way, ending: Ending, data: string): Begun {
  const line = typed(command, way, data) ?? '';
  if (isInTerminal(ending)) return begin(['script', '--quiet', '--flush', '--return', '--command', line, '/dev/null']);
  // With a shell between, which isn't replaced by the command: the parent that is killed.
  if (way === 'direct' && ending === 'SIGKILL') return begin(['bash', '-c', `${line}; true`]);
  return begin(line.split(' '));
}

async function reach(begun: Begun, moment: Moment): Promise<void> {
  if (moment === 'ready') await begun.waitFor(readyLine);
  else if (moment === 'first line')
    await poll(
      () => entryOf(begun),
      () => `It did not start:\n${begun.output()}`,
    );
  else await pause(moment);
}

async function end({ child }: Begun, way: Way, ending: Ending): Promise<void> {
  if (ending === 'terminal closed') {
    kill(child.pid, 'SIGKILL');
  } else if (ending === 'Ctrl-C twice') {
    child.stdin?.write('\x03');
    await pause(300);
    child.stdin?.write('\x03');
  } else {
    // npx passes SIGINT to a shell. If that shell is dash, it doesn't pass it on: docs/how-to/background.md.
    const isForAll = way === 'npx' && ending === 'SIGINT';
    kill(isForAll ? -(child.pid as number) : child.pid, ending);
  }
}

/** The allowed exit codes of a directly started command: 0 if it ran, otherwise that of the signal. */
function exitCodes(command: string, ending: Ending, moment: Moment, output: string): number[] {
  const code = exitCodeOf[ending] ?? 0;
  if (command === 'dev' && moment !== 'ready') return [0, code];
  return [/finishing what is in flight|judged/.test(output) || moment === 'ready' ? 0 : code];
}

describe.skipIf(process.platform !== 'linux')('gone when told', () => {
  it.each(isLongRun ? all : representative)(
    '%s, %s, %s, %s',
    { timeout: 120_000 },
    async (command, way, ending, moment) => {
      const data = join(temporaryFolder(), 'data.sqlite');
      const begun = start(command, way, ending, data);
      await reach(begun, moment);
      const since = performance.now();
      await end(begun, way, ending);
      await poll(
        () => begun.alive().length === 0,
        () => `${begun.alive()} are still there:\n${begun.output()}`,
        10_000,
      );
      const tookMs = performance.now() - since;
      if (isLongRun) console.log(`${command}, ${way}, ${ending}, ${moment}: gone after ${Math.round(tookMs)} ms`);
      const exitCode = await begun.exit;
      const output = begun.output();
      const port = Number(readyLine.exec(output)?.[1] ?? 0);
      expect(await isFree(port), output).toBe(true);
      if (command === 'start' || command === 'dev') await openDataFile(data);
      if (way === 'direct' && ['SIGTERM', 'SIGINT', 'SIGHUP'].includes(ending)) {
        expect(exitCodes(command, ending, moment, output), output).toContain(exitCode);
      }
    },
  );
});
