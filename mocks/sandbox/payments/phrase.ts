import { entropyToMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';

/** The recovery phrase (BIP-39, English) for some entropy. 16 bytes make twelve words. */
export function walletPhrase(entropy: Uint8Array): string {
  return entropyToMnemonic(entropy, wordlist);
}
