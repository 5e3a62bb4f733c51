/** `countersign check FILE…`: checks recordings against the contract. */

import { version } from '../generated/operations.ts';
import { defineCommand, defineFlags } from './command/command.ts';

export const checkFlags = defineFlags({
  base: {
    type: 'string',
    value: 'URL',
    multiple: true,
    does: 'base address of the service (repeatable); then every request to that host counts, and no other',
  },
  format: {
    type: 'string',
    value: 'KIND',
    choices: ['text', 'json', 'sarif', 'junit', 'github'],
    default: 'text',
    does: "text (default), json, sarif, junit or github (annotations at the entry's line), to stdout",
  },
  'fail-on': {
    type: 'string',
    value: 'LEVEL',
    choices: ['given', 'assumed'],
    does: 'given: only findings that break the interface itself end with 1; assumed: those that break a decision too. Default: assumed for a recording of a Countersign sandbox, otherwise given',
  },
  basis: {
    type: 'boolean',
    does: 'judges nothing, but lists which parts of the contract are given or assumed, with the decisions; FILEs are then names of operations',
  },
  'require-bodies': { type: 'boolean', does: 'a body that the recording lacks is a finding' },
});

export const command = defineCommand({
  name: 'check',
  call: 'npx countersign check',
  script: 'conform',
  does: 'check recorded traffic (HAR) against the contract',
  about: `
Judges every request and reply of HAR 1.2 files (also .har.gz, and Playwright's .zip). A request with ${version} in its
path belongs to the service; all others are skipped and counted. Each finding says whether it is given or assumed.`,
  words: [{ name: 'FILE', does: 'a recording', isRepeated: true }],
  flags: checkFlags,
  examples: [
    ['traffic.har', 'judge a recording'],
    ['--format junit traffic.har > report.xml', "write a report for a pipeline's test page"],
    ['--basis createQuote', 'list which parts of an operation are given'],
  ],
  ends: `Exit codes: 0 fine, 1 findings of the --fail-on level, 2 a file can't be read or has no request to the service (or
wrong use), 3 a fault of Countersign: it prints what to report, and judges the rest.`,
  anyNode: true,
  run: async (given) => (await import('./run/check.ts')).runCheck(given),
});
