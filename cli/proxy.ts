/** `countersign proxy --upstream URL`: checks live traffic against the contract. */
import { version } from '../generated/operations.ts';
import { recordedBodyLimit } from '../traffic/capture.ts';
import { defineCommand, defineFlags } from './command/command.ts';
import { admissionFlags, detachFlag, port } from './serverFlags.ts';

export const proxyFlags = defineFlags({
  upstream: {
    type: 'string',
    value: 'URL',
    does: "the service: http://localhost:4010, or with a path that goes before every request's own",
  },
  base: {
    type: 'string',
    value: 'URL',
    multiple: true,
    does: `judge by this base address instead of ${version} in the path (repeatable)`,
  },
  port: { ...port, default: 4020, does: 'port to listen on, 0 for any free one (default 4020)' },
  host: {
    type: 'string',
    value: 'NAME',
    default: 'localhost',
    does: 'address to listen on (default localhost: this machine only)',
  },
  'allow-host': admissionFlags['allow-host'],
  'allow-origin': admissionFlags['allow-origin'],
  'fail-on': {
    type: 'string',
    value: 'LEVEL',
    choices: ['given', 'assumed'],
    default: 'given',
    does: 'given (default): only what breaks the interface itself is a finding that counts; assumed: what breaks a decision too',
  },
  har: {
    type: 'string',
    value: 'FILE',
    does: 'write the recording there, secrets masked; it can be read at any time',
  },
  detach: detachFlag,
});

export const command = defineCommand({
  name: 'proxy',
  call: 'npx countersign proxy',
  script: 'proxy',
  does: 'judge live traffic on its way to a service, and record it',
  about: `
Stands before a service, passes everything on as it is, and judges each request and reply by the contract. Whatever
has ${version} in its path belongs to the service. A reply says in Countersign-Findings how many findings there are, and
in Countersign-Finding the first of them; what only decisions say is counted apart, in Countersign-Assumed. A reply of
more than ${recordedBodyLimit} bytes passes unjudged.`,
  flags: proxyFlags,
  examples: [
    ['--upstream http://localhost:4010', 'before a sandbox of this machine'],
    ['--upstream http://localhost:4010 --har live.har', 'and record what passes'],
  ],
  ends: `Ctrl-C or SIGTERM ends it: with 0 when all was well, 1 with findings, 3 when Countersign itself failed with an exchange,
which it then printed. It ends with 2 when it could not start.`,
  run: async (given) => (await import('./run/proxy.ts')).runProxy(given.flags, given),
});
