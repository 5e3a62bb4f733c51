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
    does: 'given (default): only findings that break the interface itself count; assumed: those that break a decision too',
  },
  har: {
    type: 'string',
    value: 'FILE',
    does: 'file for the recording, with secrets masked, up to 256 MiB; it can be read at any time',
  },
  detach: detachFlag,
});

export const command = defineCommand({
  name: 'proxy',
  call: 'npx countersign proxy',
  script: 'proxy',
  does: 'check live traffic to a service, and record it',
  about: `
Runs in front of a service, forwards all requests unchanged, and checks each request and reply against the contract. A
request with ${version} in its path belongs to the service. Each reply gets the number of findings in
Countersign-Findings, and the first one in Countersign-Finding. Countersign-Assumed counts the findings that break only
decisions. A reply of more than ${recordedBodyLimit} bytes isn't judged.`,
  flags: proxyFlags,
  examples: [
    ['--upstream http://localhost:4010', 'in front of a sandbox on this machine'],
    ['--upstream http://localhost:4010 --har live.har', 'and record the traffic'],
  ],
  ends: `Ctrl-C or SIGTERM ends it, with 0 if there were no findings, 1 if there were, 3 if Countersign itself failed on an
exchange and printed it. It ends with 2 if it can't start.`,
  run: async (given) => (await import('./run/proxy.ts')).runProxy(given.flags, given),
});
