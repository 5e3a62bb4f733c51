/**
 * Promise: `npm start --port 4162`, where npm keeps the flag, ends with the command to type. Settings of npm and flags
 * for another script aren't mistaken for such a flag.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { settingsOfNpm } from '../../cli/command/swallowed.ts';
import { listed } from '../../cli/commands.ts';
import { load } from '../../cli/main.ts';
import { command as wholeCheck } from '../../scripts/check/main.ts';
import { projectRoot } from '../../scripts/lib/project.ts';
import { runInProcess } from '../support/process/inProcess.ts';
import { byLength } from '../support/run/length.ts';

const script = (event: string, more: Record<string, string>) => ({
  npm_lifecycle_event: event,
  npm_package_json: join(projectRoot, 'package.json'),
  // npm sets these for every script.
  npm_config_cache: '/home/me/.npm',
  npm_config_loglevel: 'error',
  npm_config_noproxy: '',
  ...more,
});

test.each([
  ['start', 'start', ['4162'], { port: 'true' }, 'npm start -- --port 4162'],
  ['start', 'start', [], { port: '4162' }, 'npm start -- --port 4162'],
  ['start', 'start', [], { detach: 'true', control_token: 'x' }, 'npm start -- --control-token x --detach'],
  ['start', 'start', ['4162', ':memory:'], { port: 'true', data: 'true' }, 'npm start -- --port N --data FILE'],
  ['start', 'start', [], { allow_host: 'a\n\nb' }, 'npm start -- --allow-host a --allow-host b'],
  ['mock', 'mock', [], { port: '0' }, 'npm run mock -- --port 0'],
  ['check', 'conform', ['a.har'], { require_bodies: 'true' }, 'npm run conform -- --require-bodies'],
  ['simulate', 'simulate', ['7'], { seed: 'true' }, 'npm run simulate -- --seed 7'],
])('%s: %s %j %j', async (name, event, left, kept, typed) => {
  const settings = Object.fromEntries(Object.entries(kept).map(([flag, value]) => [`npm_config_${flag}`, value]));
  const { code, stdout, stderr } = await runInProcess([name, ...left], { env: script(event, settings) });
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^npm kept --\S+(?: and --\S+)* for itself\./);
  expect(stderr.trimEnd().endsWith(`: ${typed}`), stderr).toBe(true);
});

test.each([
  ['settings of npm alone', script('start', { npm_config_port: '' })],
  ['a flag of another script of ours, which starts the sandbox', script('bench', { npm_config_port: '1' })],
  [
    'a flag of another project, whose script starts the sandbox',
    {
      ...script('start', { npm_config_port: '1' }),
      npm_package_json: '/elsewhere/package.json',
    },
  ],
  ['no npm at all', { npm_config_port: '1' }],
])('%s', async (_, env) => {
  const { stderr } = await runInProcess(['start', '--log', 'none'], { env });
  expect(stderr).toBe('--log takes pretty, json or off, not "none".\n');
});

// npm needs a second to list them.
test.each(byLength([], ['that npm has too']))(
  "the flags %s are the ones that don't show a swallowed flag",
  async () => {
    const printed = execFileSync('npm', ['config', 'ls', '--long', '--json'], { encoding: 'utf8' });
    const ofNpm = new Set(Object.keys(JSON.parse(printed)));
    const commands = await Promise.all(Object.entries(listed).map(([name, one]) => load(name, one)));
    const flags = [...commands, wholeCheck].flatMap((command) => Object.keys(command.flags));
    expect(new Set(flags.filter((flag) => ofNpm.has(flag)))).toEqual(new Set(settingsOfNpm));
  },
);
