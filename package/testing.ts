/** What an app's tests need besides a sandbox, in any test framework. */

export { payloadToSign } from '../client/index.ts';
export { type SignedIn, type SignInOptions, type SignInPlace, signIn } from './signIn.ts';
export type { Control, Platform } from './steeringTypes.ts';
