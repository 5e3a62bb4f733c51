/** `countersign codes`: prints the one-time codes that a sandbox has sent. */
import { defineCommand, defineFlags } from './command/command.ts';
import { credentialsFlag } from './credentials.ts';

export const codesFlags = defineFlags({
  follow: { type: 'boolean', does: 'goes on, and prints each code when it is sent' },
  to: { type: 'string', value: 'ADDRESS', does: 'only codes to this e-mail address' },
  url: {
    type: 'string',
    value: 'URL',
    default: 'http://localhost:4010',
    does: 'where the sandbox is (default http://localhost:4010)',
  },
  credentials: {
    ...credentialsFlag,
    does: `a token of the platform whose codes to print, with MANAGE ${credentialsFlag.does}`,
  },
  format: {
    type: 'string',
    value: 'KIND',
    choices: ['text', 'json'],
    default: 'text',
    does: 'text (default), or json: each code as a line of JSON',
  },
});

export const command = defineCommand({
  name: 'codes',
  call: 'npx countersign codes',
  script: 'codes',
  does: 'print the one-time codes that a sandbox has sent',
  about: `
A platform with real proofs sends a one-time code for each EMAIL_OTP credential that is registered or challenged. No log
has the codes, so that they can't leak with one: this prints them, oldest first, each with its time, code, address and
wallet. A platform with magic proofs sends none: there the code is always 000000.`,
  flags: codesFlags,
  examples: [
    ['', 'the codes that were sent so far, a hundred at most'],
    ['--follow --to ada@example.com', 'and those to one address from now on'],
    ['--follow --format json', 'for a program'],
  ],
  ends: `Ctrl-C or SIGTERM ends it with 0, and so does the end of the sandbox. It ends with 2 if no sandbox is there, or if it
refuses the credentials.`,
  run: async (given) => (await import('./run/codes.ts')).runCodes(given),
});
