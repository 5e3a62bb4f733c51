/** Promise: the snippets of the client helpers' guide do what the text beside them says, and it leaves out no helper. */
import { describe, expect, it } from 'vitest';
import * as helpers from '../../client/index.ts';
import { readGuide, runTypeScript, typeErrors } from '../support/requests/snippets.ts';
import { byLength } from '../support/run/length.ts';

const guide = readGuide('client/README.md');

describe("the client helpers' guide", () => {
  it('walks a wallet from its e-mail address to an export, in real proofs', async () => {
    const output = await runTypeScript(guide.snippets('walk'));
    expect(output.trim().split('\n')).toEqual(['private: true', 'words: 12']);
  });

  it.each(byLength([], ['its snippets are right for a browser, and one that is wrong is found']))('%s', () => {
    const [walk, passkeys] = [guide.snippets('walk'), guide.snippets('passkeys')];
    const broken = passkeys.replace('keys.publicKeyHex', 'keys.publicKey');
    // In one run of the compiler, which takes its time.
    expect(typeErrors(walk, passkeys, broken)).toEqual([expect.stringContaining("'publicKey'")]);
  });

  it('names every helper', () => {
    for (const name of Object.keys(helpers)) expect(guide.text).toContain(`\`${name}`);
  });

  it('is linked from the README', () => {
    expect(readGuide('README.md').text).toContain('](client/README.md)');
  });
});
