/** `countersign replay FILE…`: checks whether the sandbox behaves as the recording shows. */
import { version } from '../generated/operations.ts';
import { defineCommand, defineFlags } from './command/command.ts';
import { credentialsFlag } from './credentials.ts';

export const replayFlags = defineFlags({
  against: {
    type: 'string',
    value: 'URL',
    does: 'where to replay: a sandbox, the mock, or any other address of the interface (default: a new sandbox in this process)',
  },
  base: {
    type: 'string',
    value: 'URL',
    multiple: true,
    does: 'base address of the recorded service (repeatable); then every request to that host counts, and no other',
  },
  proofs: {
    type: 'string',
    value: 'KIND',
    choices: ['magic', 'real'],
    default: 'magic',
    does: 'the proofs that replay sends: magic (default, the documented values) or real (made with its own keys)',
  },
  world: {
    type: 'string',
    value: 'WORLD',
    default: 'ready-made',
    does: 'initial data of the platform: ready-made (default), empty, examples, or a JSON file with a world or a snapshot',
  },
  amounts: {
    type: 'string',
    value: 'KIND',
    choices: ['exact', 'related'],
    does: 'exact: amounts and times must be the same; related: only how amounts follow from each other. Default: exact for a recording of a Countersign sandbox, otherwise related',
  },
  expect: {
    type: 'string',
    value: 'FILE',
    does: 'YAML file with the expected differences, each with a reason; a new one or a missing one ends with 1',
  },
  questions: {
    type: 'boolean',
    does: "lists the differences as questions for the service's owner, grouped by decision",
  },
  format: {
    type: 'string',
    value: 'KIND',
    choices: ['text', 'json', 'junit', 'github'],
    default: 'text',
    does: "text (default), json, junit or github (annotations at the entry's line), to stdout",
  },
  credentials: {
    ...credentialsFlag,
    does: `the API token for an address without a control surface ${credentialsFlag.does}`,
  },
  'control-token': {
    type: 'string',
    value: 'TOKEN',
    env: 'CONTROL_TOKEN',
    does: 'opens the control surface of a sandbox beyond this machine',
  },
});

export const command = defineCommand({
  name: 'replay',
  call: 'npx countersign replay',
  script: 'replay',
  does: "replay recorded traffic (HAR), and show where the sandbox's replies differ",
  about: `
Sends the requests of HAR 1.2 files (also .har.gz, and Playwright's .zip) again, in their order, to a new platform. Later
requests use the ids, secrets and times of the new replies. It compares status, code, fields, listed words, amounts,
order and headers. A request with ${version} in its path belongs to the service.`,
  words: [{ name: 'FILE', does: 'a recording', isRepeated: true }],
  flags: replayFlags,
  examples: [
    ['traffic.har', 'replay a recording on a new sandbox'],
    ['--expect differences.yaml traffic.har', 'fail only for new differences'],
    ['--questions traffic.har', "list questions for the service's owner"],
    ['--against http://localhost:4010 traffic.har', 'replay it on a running sandbox'],
  ],
  ends: `Exit codes: 0 no difference, 1 unexpected differences, or expected ones that are gone, 2 a file can't be read,
or an entry can't be replayed (or wrong use), 3 a fault of Countersign: it prints what to report.`,
  run: async (given) => (await import('./run/replay.ts')).runReplay(given),
});
