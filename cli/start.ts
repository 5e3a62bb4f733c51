/** `countersign start`: runs the sandbox. */
import { defineCommand, defineFlags, withLifecycle } from './command/command.ts';
import { serverFlags } from './serverFlags.ts';

export const startFlags = defineFlags({
  port: serverFlags.port,
  host: serverFlags.host,
  'allow-host': serverFlags['allow-host'],
  'allow-origin': serverFlags['allow-origin'],
  // Not declared with `env`: if either flag is given, it overrides both variables, DATA and DATABASE.
  data: {
    type: 'string',
    value: 'FILE',
    does: 'SQLite file that keeps the state, or :memory: (default data/sandbox.sqlite; DATA)',
  },
  database: {
    type: 'string',
    value: 'URL',
    does: 'PostgreSQL database instead, postgres://user:password@host/name, for any number of processes (DATABASE)',
  },
  seed: {
    type: 'string',
    value: 'N',
    upTo: Number.MAX_SAFE_INTEGER,
    does: 'repeatable run: ids, secrets and sealing follow from N, and time stands still until told to move',
  },
  proofs: {
    type: 'string',
    value: 'KIND',
    choices: ['magic', 'real'],
    does: 'magic (default: the documented values pass) or real (what production checks)',
  },
  world: {
    type: 'string',
    value: 'WORLD',
    env: 'WORLD',
    does: 'what sandbox:sandbox begins with, and a reset goes back to: ready-made (default), examples (what the examples of the contract show), or a file with a world or a snapshot, as JSON',
  },
  journal: {
    type: 'string',
    value: 'WHAT',
    choices: ['on', 'off'],
    default: 'on',
    does: 'on (default: the last exchanges are kept in memory for /__sandbox/journal) or off',
  },
  log: serverFlags.log,
  'control-token': {
    type: 'string',
    value: 'TOKEN',
    env: 'CONTROL_TOKEN',
    does: "needed with --host beyond this machine, for what has no platform's credentials",
  },
  detach: serverFlags.detach,
});

export const command = defineCommand({
  name: 'start',
  call: 'npx countersign start',
  script: 'start',
  does: 'start the sandbox',
  about: `
The sandbox behaves as the contract says, on this machine and offline. In a clone, npm start -- [options] is the same.
A name in parentheses is the environment variable that gives the value when no flag does.`,
  flags: startFlags,
  examples: [
    ['', 'on port 4010, with its state in data/sandbox.sqlite'],
    ['--port 4162 --data :memory:', 'on another port, with nothing kept'],
    ['--seed 7 --detach', 'a run that can be repeated, in the background'],
  ],
  ends: `Ctrl-C or SIGTERM ends it with 0. It ends with 2 when it could not start: flags, port, data.`,
  run: async (given) => (await import('../mocks/sandbox/main.ts')).startSandbox(given.flags, withLifecycle(given)),
});
