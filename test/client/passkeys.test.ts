/**
 * Promise: a browser's passkey response is converted to the interface's body byte for byte. Differences between
 * browsers (no user handle, unknown transports, no transports) never make a body that is refused.
 */
import { describe, expect, it } from 'vitest';
import { assertionOptions, fromBase64Url, passkeyToAssertion, passkeyToCredential } from '../../client/index.ts';
import { asCreated, asGot } from '../support/browser/browserCredentials.ts';
import { createPasskey } from '../support/proofs/authenticator.ts';

const facts = { accountId: 'InternalAccount:1', nickname: 'Laptop', challenge: 'Y2hhbGxlbmdl' };
const passkey = createPasskey({ userHandle: 'dXNlcg' });
const attestation = passkey.attest(facts.challenge);
const assertion = passkey.assert('YXNzZXJ0aW9u');

describe('passkeyToCredential', () => {
  it('gives the body of the registration', () => {
    const body = passkeyToCredential(asCreated(attestation), facts);
    expect(body).toEqual({ type: 'PASSKEY', ...facts, attestation });
  });

  it('keeps the transports that the browser names, known or not, and leaves out empty words', () => {
    const created = asCreated(attestation, { transports: ['internal', 'cable', 'hybrid', ''] });
    expect(passkeyToCredential(created, facts).attestation.transports).toEqual(['internal', 'cable', 'hybrid']);
  });

  it('names no transports where the browser cannot say them', () => {
    const body = passkeyToCredential(asCreated(attestation, { transports: null }), facts);
    expect(body.attestation).not.toHaveProperty('transports');
  });

  it('takes no more of the facts than the closed body has', () => {
    const more = { ...facts, email: 'ada@example.com' };
    expect(passkeyToCredential(asCreated(attestation), more)).not.toHaveProperty('email');
  });
});

describe('passkeyToAssertion', () => {
  it('gives the assertion of verify', () => {
    expect(passkeyToAssertion(asGot(assertion))).toEqual(assertion);
  });

  it.each([
    ['null', null],
    ['empty', new ArrayBuffer(0)],
    ['missing', undefined],
  ])('case 61: a user handle that is %s is left out', (_what, userHandle) => {
    const { userHandle: _, ...bare } = assertion;
    expect(passkeyToAssertion(asGot(bare, userHandle))).toEqual(bare);
  });
});

describe('assertionOptions', () => {
  const bytes = Uint8Array.of(0xfb, 0xef, 0xbe, 0);
  const asked = { challenge: '----AA', credentialId: passkey.credentialId };

  it('cases 62, 64: gives the browser the bytes of the challenge, not its text', () => {
    expect(assertionOptions(asked)).toEqual({
      challenge: bytes,
      allowCredentials: [{ type: 'public-key', id: fromBase64Url(passkey.credentialId) }],
    });
    expect(assertionOptions({ ...asked, challenge: '----AA==' }).challenge).toEqual(bytes);
  });

  it('names the domain of the passkey where it is not that of the page', () => {
    expect(assertionOptions(asked, 'example.com')).toMatchObject({ rpId: 'example.com' });
  });

  it.each(['++++AA', 'A', 'ab cd', 'é'])("refuses %o, which isn't base64url", (challenge) => {
    expect(() => assertionOptions({ ...asked, challenge })).toThrow(Error);
  });
});

describe("what isn't a passkey is a TypeError", () => {
  const password = { id: 'ada', type: 'password' };

  it.each([
    ['nothing', null],
    ['a password', password],
    ['an assertion', asGot(assertion)],
  ])('%s in place of a new credential', (_what, credential) => {
    expect(() => passkeyToCredential(credential, facts)).toThrow(TypeError);
  });

  it.each([
    ['nothing', null],
    ['a password', password],
    ['a new credential', asCreated(attestation)],
  ])('%s in place of an assertion', (_what, credential) => {
    expect(() => passkeyToAssertion(credential)).toThrow(TypeError);
  });
});
