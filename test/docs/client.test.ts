/** Promise: the snippets of the client helpers' guide do what the text beside them says, and it leaves out no helper. */
import { describe, expect, it } from 'vitest';
import * as helpers from '../../client/index.ts';
import { readGuide, runTypeScript, typeErrors } from '../support/snippets.ts';

const guide = readGuide('client/README.md');

describe("the client helpers' guide", () => {
  it('walks a wallet from its e-mail address to an export, in real proofs', async () => {
    const output = await runTypeScript(guide.snippets('walk'));
    expect(output.trim().split('\n')).toEqual(['private: true', 'words: 12']);
  });

  it.each(['walk', 'passkeys'])('the snippet "%s" is right for a browser', (mark) => {
    expect(typeErrors(guide.snippets(mark))).toEqual([]);
  });

  it('a snippet that is wrong would be found', () => {
    const broken = guide.snippets('passkeys').replace('keys.publicKeyHex', 'keys.publicKey');
    expect(typeErrors(broken)).toEqual([expect.stringContaining("'publicKey'")]);
  });

  it('names every helper', () => {
    for (const name of Object.keys(helpers)) expect(guide.text).toContain(`\`${name}`);
  });

  it('is linked from the README', () => {
    expect(readGuide('README.md').text).toContain('](client/README.md)');
  });
});
