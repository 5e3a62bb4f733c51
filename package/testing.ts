/** What tests of an app need beside a sandbox, whatever runs them. */

export { type SignedIn, type SignInOptions, type SignInPlace, signIn } from './signIn.ts';
export type { Control, Platform } from './steeringTypes.ts';
