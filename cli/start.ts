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
    does: 'repeatable run: ids, secrets and sealing are derived from N, and time stands still until you move it',
  },
  proofs: {
    type: 'string',
    value: 'KIND',
    choices: ['magic', 'real'],
    does: 'magic (default: the documented values pass) or real (the checks of production)',
  },
  world: {
    type: 'string',
    value: 'WORLD',
    env: 'WORLD',
    does: 'initial data of sandbox:sandbox, also after a reset: ready-made (default), examples (those of the contract), or a JSON file with a world or a snapshot',
  },
  journal: {
    type: 'string',
    value: 'WHAT',
    default: 'on',
    does: 'memory for the last exchanges of all platforms (/__sandbox/journal): on (default: 64MiB, less in a small container), a size such as 256MiB, or off',
  },
  log: serverFlags.log,
  'control-token': {
    type: 'string',
    value: 'TOKEN',
    env: 'CONTROL_TOKEN',
    does: "required with --host beyond this machine; requests without a platform's credentials must send it",
  },
  format: serverFlags.format,
  detach: serverFlags.detach,
});

export const command = defineCommand({
  name: 'start',
  call: 'npx countersign start',
  script: 'start',
  does: 'start the sandbox',
  about: `
The sandbox behaves as the contract says, on this machine and offline. In a clone, npm start -- [options] is the same.
A name in parentheses is the environment variable for the value if there is no flag.`,
  flags: startFlags,
  examples: [
    ['', 'on port 4010, with its state in data/sandbox.sqlite'],
    ['--port 4162 --data :memory:', 'on another port, in memory'],
    ['--seed 7 --detach', 'a repeatable run, in the background'],
    ['--port 0 --detach --format json', 'in the background for a script, which reads url and pid'],
  ],
  ends: `Ctrl-C or SIGTERM ends it with 0. It ends with 2 if it can't start: flags, port, data.`,
  run: async (given) => (await import('../mocks/sandbox/main.ts')).startSandbox(given.flags, withLifecycle(given)),
});
