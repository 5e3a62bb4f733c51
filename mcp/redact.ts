import { disguise, maskPointer } from '../contract/mask.ts';

/**
 * Removes everything from a text that looks like a secret, and the given tokens in any form.
 * @param tokens may grow later
 */
export function createRedact(tokens: readonly string[]): (text: string) => string {
  return (text) => {
    const plain = tokens.reduce((shown, token) => shown.replaceAll(token, () => disguise(token)), text);
    return maskPointer(plain);
  };
}
