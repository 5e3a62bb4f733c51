/** Reads a platform's API token from a command line. */
import { defineFlags } from './command/command.ts';
import { WrongUse } from './command/exit.ts';

/** The flag. Each command puts the purpose of the token before this description. */
export const { credentials: credentialsFlag } = defineFlags({
  credentials: {
    type: 'string',
    value: 'ID:SECRET',
    env: 'COUNTERSIGN_CREDENTIALS',
    default: 'sandbox:sandbox',
    does: '(default sandbox:sandbox)',
  },
});

/** @throws WrongUse if the text isn't clientId:clientSecret */
export function readCredentials(text: string): { readonly clientId: string; readonly clientSecret: string } {
  const at = text.indexOf(':');
  if (at < 1) throw new WrongUse(`--credentials takes clientId:clientSecret.`);
  return { clientId: text.slice(0, at), clientSecret: text.slice(at + 1) };
}
