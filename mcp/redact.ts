import { disguise, maskPointer } from '../contract/mask.ts';

/**
 * Takes out of a text what has the form of a secret, and the given tokens whatever their form is.
 * @param tokens may grow
 */
export function createRedact(tokens: readonly string[]): (text: string) => string {
  return (text) => {
    const plain = tokens.reduce((shown, token) => shown.replaceAll(token, () => disguise(token)), text);
    return maskPointer(plain);
  };
}
