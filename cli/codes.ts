/** `countersign codes`: prints the one-time codes that a sandbox has sent. */
import { defineCommand, defineFlags } from './command/command.ts';
import { credentialsFlag } from './credentials.ts';

export const codesFlags = defineFlags({
  follow: { type: 'boolean', does: 'keeps running, and prints each code when it is sent' },
  to: { type: 'string', value: 'ADDRESS', does: 'only codes to this e-mail address' },
  url: {
    type: 'string',
    value: 'URL',
    default: 'http://localhost:4010',
    does: 'where the sandbox is (default http://localhost:4010)',
  },
  credentials: {
    ...credentialsFlag,
    does: `a token with MANAGE, of the platform whose codes to print ${credentialsFlag.does}`,
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
A platform with real proofs sends a one-time code for each EMAIL_OTP credential that is registered or challenged. Logs
don't contain the codes, so that a log can't leak them. This command prints them, oldest first, each with its time, code,
address and wallet. A platform with magic proofs sends none: there the code is always 000000.`,
  flags: codesFlags,
  examples: [
    ['', 'print the codes so far, at most a hundred'],
    ['--follow --to ada@example.com', 'also print later codes to one address'],
    ['--follow --format json', 'print JSON for a program'],
  ],
  ends: `Ctrl-C, SIGTERM or the end of the sandbox ends it with 0. It ends with 2 if no sandbox answers, or if it refuses the
credentials.`,
  run: async (given) => (await import('./run/codes.ts')).runCodes(given),
});
