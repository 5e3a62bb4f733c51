/** What an app needs besides the generated client to hold a wallet's keys. It runs in browsers and in Node. */
export { createServiceClient, type ServiceClient } from '../generated/client.ts';
export { fromBase64Url, toBase64Url } from './bytes.ts';
export {
  BundleError,
  type BundleFault,
  createWalletKeys,
  openSessionKey,
  openWalletExport,
  type SessionKey,
  stamp,
  type WalletKeys,
} from './keys.ts';
export { assertionOptions, passkeyToAssertion, passkeyToCredential } from './passkeys.ts';
export { payloadToSign } from './payloadToSign.ts';
export {
  type RetryHeaders,
  type Signed,
  SignedRetryError,
  type SignedRetryFault,
  type Signer,
  sandboxSigner,
  sessionSigner,
  signedRetry,
} from './signedRetry.ts';
