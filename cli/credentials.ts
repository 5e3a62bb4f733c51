/** A platform's token on a command line. */
import { defineFlags } from './command/command.ts';
import { WrongUse } from './command/exit.ts';

/** The flag; a command puts what the token is for before what it says. */
export const { credentials: credentialsFlag } = defineFlags({
  credentials: {
    type: 'string',
    value: 'ID:SECRET',
    env: 'COUNTERSIGN_CREDENTIALS',
    default: 'sandbox:sandbox',
    does: '(default sandbox:sandbox)',
  },
});

/** @throws WrongUse for what isn't two halves. */
export function readCredentials(text: string): { readonly clientId: string; readonly clientSecret: string } {
  const at = text.indexOf(':');
  if (at < 1) throw new WrongUse(`--credentials takes clientId:clientSecret.`);
  return { clientId: text.slice(0, at), clientSecret: text.slice(at + 1) };
}
