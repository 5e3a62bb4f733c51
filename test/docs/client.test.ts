/** Promise: the snippets for a browser have no type error, and the client helpers' guide names every helper. */
import { describe, expect, it } from 'vitest';
import * as helpers from '../../client/index.ts';
import { readGuide, typeErrors } from '../support/requests/snippets.ts';
import { byLength } from '../support/run/length.ts';

const guide = readGuide('client/README.md');
const tutorial = readGuide('docs/tutorials/real-proofs.md');

describe("the client helpers' guide", () => {
  it.each(
    byLength([], ['its snippets and those of the tutorial are right for a browser, and one that is wrong is found']),
  )('%s', () => {
    const [walk, passkeys] = [tutorial.snippets('walk'), guide.snippets('passkeys')];
    const broken = passkeys.replace('keys.publicKeyHex', 'keys.publicKey');
    // One compiler run for all, because it is slow.
    expect(typeErrors(walk, passkeys, broken)).toEqual([expect.stringContaining("'publicKey'")]);
  });

  it('names every helper', () => {
    for (const name of Object.keys(helpers)) expect(guide.text).toContain(`\`${name}`);
  });

  it('is linked from the README', () => {
    expect(readGuide('README.md').text).toContain('](client/README.md)');
  });
});
