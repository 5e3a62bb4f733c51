/** `countersign check FILE…`: checks recordings against the contract. */

import { version } from '../generated/operations.ts';
import { defineCommand, defineFlags } from './command/command.ts';

export const checkFlags = defineFlags({
  base: {
    type: 'string',
    value: 'URL',
    multiple: true,
    does: 'where the service stands (repeatable); then everything on that host belongs to it, and nothing else',
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
    does: 'given: only what breaks the interface itself ends with 1; assumed: what breaks a decision too. Default: assumed for a recording of a Countersign sandbox, else given',
  },
  basis: {
    type: 'boolean',
    does: 'judges nothing: lists what of the contract is given and what is assumed, and by which decisions; FILEs are then names of operations',
  },
  'require-bodies': { type: 'boolean', does: 'a body that the recording does not have is a finding' },
});

export const command = defineCommand({
  name: 'check',
  call: 'npx countersign check',
  script: 'conform',
  does: 'judge recorded traffic (HAR) by the contract',
  about: `
Judges every request and reply of HAR 1.2 files (also .har.gz, and Playwright's .zip). Whatever has ${version} in its
path belongs to the service; everything else is passed over and counted. Each finding says whether it is given or
assumed.`,
  words: [{ name: 'FILE', does: 'a recording', isRepeated: true }],
  flags: checkFlags,
  examples: [
    ['traffic.har', 'judge a recording'],
    ['--format junit traffic.har > report.xml', "for a pipeline's test page"],
    ['--basis createQuote', 'what of an operation is given'],
  ],
  ends: `Exit codes: 0 fine, 1 findings of the --fail-on level, 2 a file could not be read or has nothing of the service (or
wrong use), 3 a fault of Countersign: it prints what to report, and the rest was judged.`,
  anyNode: true,
  run: async (given) => (await import('./run/check.ts')).runCheck(given),
});
