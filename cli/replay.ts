/** `countersign replay FILE…`: checks whether the sandbox behaves as the recording shows. */
import { version } from '../generated/operations.ts';
import { defineCommand, defineFlags } from './command/command.ts';
import { credentialsFlag } from './credentials.ts';

export const replayFlags = defineFlags({
  against: {
    type: 'string',
    value: 'URL',
    does: 'where to play: a sandbox, the mock, or any other address of the interface (default: a fresh sandbox in this process)',
  },
  base: {
    type: 'string',
    value: 'URL',
    multiple: true,
    does: 'where the recorded service stood (repeatable); then everything on that host belongs to it, and nothing else',
  },
  proofs: {
    type: 'string',
    value: 'KIND',
    choices: ['magic', 'real'],
    default: 'magic',
    does: 'the proofs that replay sends: magic (default, the documented values) or real (made with keys of its own)',
  },
  world: {
    type: 'string',
    value: 'WORLD',
    default: 'ready-made',
    does: 'what the platform begins with: ready-made (default), empty, examples, or a file with a world or a snapshot, as JSON',
  },
  amounts: {
    type: 'string',
    value: 'KIND',
    choices: ['exact', 'related'],
    does: 'exact: amounts and times must be the same; related: only how amounts follow from each other. Default: exact for a recording of a Countersign sandbox, else related',
  },
  expect: {
    type: 'string',
    value: 'FILE',
    does: 'YAML with the differences that are known, each with a reason: a new one ends with 1, and so does one that is gone',
  },
  questions: {
    type: 'boolean',
    does: "lists the differences as questions for the service's owner, by the decision that they touch",
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
  does: 'play recorded traffic (HAR) again, and say where the sandbox answers otherwise',
  about: `
Sends every request of HAR 1.2 files (also .har.gz, and Playwright's .zip) again, in its order, to a fresh platform. Ids,
secrets and times of the replies are learnt and carried into later requests; status, code, fields, listed words, amounts,
order and headers are compared. Whatever has ${version} in its path belongs to the service.`,
  words: [{ name: 'FILE', does: 'a recording', isRepeated: true }],
  flags: replayFlags,
  examples: [
    ['traffic.har', 'play a recording on a fresh sandbox'],
    ['--expect differences.yaml traffic.har', 'fail only for what is new'],
    ['--questions traffic.har', "what to ask the service's owner"],
    ['--against http://localhost:4010 traffic.har', 'play it on a sandbox that runs'],
  ],
  ends: `Exit codes: 0 no difference, 1 differences that nobody expects, or expected ones that are gone, 2 a file could not be read,
or an entry can't be played (or wrong use), 3 a fault of Countersign: it prints what to report.`,
  run: async (given) => (await import('./run/replay.ts')).runReplay(given),
});
