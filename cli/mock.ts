/** `countersign mock`: serves the contract's examples, without state. */
import { defineCommand, withLifecycle } from './command/command.ts';
import { serverFlags } from './serverFlags.ts';

export const command = defineCommand({
  name: 'mock',
  call: 'npx countersign mock',
  script: 'mock',
  does: "serve the contract's examples, without state",
  about: `
Prism serves the named examples of the contract at the same addresses as the sandbox. Requests that break the contract
are refused alike. Any well-formed credentials pass. In a clone, npm run mock -- [options] is the same.`,
  flags: serverFlags,
  examples: [
    ['', 'on port 4010'],
    ['--port 0 --detach', 'on any free port, in the background'],
  ],
  ends: `Ctrl-C or SIGTERM ends it with 0. It ends with 2 if it can't start: flags, port, contract.`,
  needs: ['@stoplight/prism-http'],
  run: async (given) => (await import('../mocks/prism/main.ts')).startMock(given.flags, withLifecycle(given).lifecycle),
});
