/** `countersign guard FILE`: lints an OpenAPI document and checks its examples. */
import { defineCommand } from './command/command.ts';
import { WrongUse } from './command/exit.ts';
import { userFolder } from './command/package.ts';

export const command = defineCommand({
  name: 'guard',
  call: 'npx countersign guard',
  script: 'guard',
  does: 'lint an OpenAPI document and check its examples',
  words: [{ name: 'FILE', does: 'the root of an OpenAPI 3.1 document', isRequired: true }],
  flags: {
    rules: {
      type: 'string',
      value: 'KIND',
      // If a GitHub workflow has an optional input that isn't set, the input arrives as an empty text.
      choices: ['house', 'plain', ''],
      does: "house: also our house rules, from R01 on (openapi/README.md), the default for a contract in Countersign's repository; plain: only Redocly's rules and the examples, the default for any other contract",
    },
    format: {
      type: 'string',
      value: 'KIND',
      choices: ['text', 'github'],
      default: 'text',
      does: 'text (default), or github: annotations at the line of your file',
    },
  },
  examples: [['api/openapi.yaml', 'check your own contract']],
  ends: `Exit codes: 0 the contract is sound, 1 it has findings, 2 the document can't be read (or wrong use), 3 a fault of
Countersign.`,
  needs: ['@redocly/cli'],
  async run({ flags, words: [file = ''], output, env }) {
    if (file === '') throw new WrongUse('Name the root of an OpenAPI document.');
    const { guard } = await import('../scripts/guard/guard.ts');
    const options = { rules: flags.rules || undefined, format: flags.format };
    const failed = await guard(userFolder(env), file, options, (line) => output.stdout(`${line}\n`));
    output.stdout(failed === 0 ? 'The contract is sound.\n' : `${failed} of the checks failed.\n`);
    return failed === 0 ? 0 : 1;
  },
});
