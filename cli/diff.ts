/** `countersign diff [BASE]`: shows what changed in a contract, and whether it breaks a client. */
import { defineCommand } from './command/command.ts';
import { WrongUse } from './command/exit.ts';
import { userFolder } from './command/package.ts';

export const command = defineCommand({
  name: 'diff',
  call: 'npx countersign diff',
  script: 'diff',
  does: 'rate what changed in a contract, and whether it breaks a client',
  about: `
Compares two states of the contract and rates every change:
  breaking    a client of the older state can fail
  warning     its requests are still valid, but may mean or return something else
  compatible  a client works as before
  none        words, examples

BASE and REVISION are a published version (2025-10-13), a git ref, or the path of an OpenAPI file (.json, .yaml). The
default BASE is the newest version in versions/ beside the contract. Without versions it is the commit where this branch
left origin/main, or on main the commit before. The default REVISION is the working tree.`,
  words: [{ name: 'BASE', does: 'the older state' }],
  flags: {
    to: { type: 'string', value: 'REVISION', does: 'the newer state (default: the working tree)' },
    contract: {
      type: 'string',
      value: 'FILE',
      default: 'openapi/openapi.yaml',
      does: "the contract's root document in the repository (default openapi/openapi.yaml)",
    },
    format: {
      type: 'string',
      value: 'KIND',
      choices: ['text', 'json', 'github', 'changelog'],
      default: 'text',
      does: 'text (default), json, github (annotations), or changelog: lines for the part Unreleased',
    },
  },
  examples: [
    ['', 'since the newest published version'],
    ['origin/main --contract api/openapi.yaml', 'since another branch, for your own contract'],
  ],
  ends: `Exit codes: 0 fine, 1 a breaking change, and info.version is not a later date or not in the servers' addresses, 2 it can't
compare (or wrong use), 3 a fault of Countersign.`,
  needs: ['@redocly/cli'],
  async run({ flags, words, output, env }) {
    const [{ diff }, { CannotCompare }] = await Promise.all([
      import('../scripts/diff/diff.ts'),
      import('../scripts/diff/compare.ts'),
    ]);
    try {
      // If a GitHub workflow has an optional input that isn't set, the input arrives as an empty text.
      const options = { ...flags, base: words[0] || undefined, to: flags.to || undefined };
      const { text, isFine } = await diff(userFolder(env), options);
      output.stdout(`${text}\n`);
      return isFine ? 0 : 1;
    } catch (error) {
      throw error instanceof CannotCompare ? new WrongUse(error.message) : error;
    }
  },
});
