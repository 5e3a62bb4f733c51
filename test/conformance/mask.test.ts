/** Promise: no secret of the contract is shown, and a masked value still fits the contract. */
import { describe, expect, it } from 'vitest';
import { loadContract } from '../../contract/file.ts';
import { maskBody, maskHeader, maskNamed, maskUrl } from '../../contract/mask.ts';
import { operations } from '../../generated/operations.ts';

const contract = loadContract();
const examples = operations.flatMap((operation) =>
  operation.statuses.flatMap((status) =>
    contract.examples(operation, status).map(({ name, value }) => [operation, status, name, value] as const),
  ),
);

describe('masking', () => {
  it('every example of the contract fits it as well when it is masked', () => {
    const broken = examples.filter(
      ([operation, status, , value]) => contract.checkResponse(operation, status, maskBody(value))?.length !== 0,
    );
    expect(broken.map(([{ id }, status, name]) => `${id} ${status} ${name}`)).toEqual([]);
    expect(examples.length).toBeGreaterThan(300);
  });

  it('leaves alone what holds no secret', () => {
    const body = { id: 'Customer:1', currency: { code: 'USD' }, status: 400, code: 'INVALID_INPUT', nextCursor: 'abc' };
    expect(maskBody(body)).toEqual(body);
  });

  it.each([
    'clientSecret',
    'accessToken',
    'encryptedSessionSigningKey',
    'encryptedWalletCredentials',
    'oidcToken',
    'otp',
    'signature',
    'password',
    'x_api_key',
  ])('masks %s, wherever it stands', (name) => {
    expect(
      JSON.stringify(maskBody([{ deep: { [name]: 'Sec-9?ret', list: [{ [name]: ['Sec-9?ret'] }] } }])),
    ).not.toContain('Sec-9');
    expect(maskNamed([name], 'Sec-9?ret')).toBe('Aaa-1?aaa');
    expect(maskUrl(`https://a.example/?x=1&${name}=Sec9#f`)).toBe(`https://a.example/?x=1&${name}=Aaa1#f`);
  });

  it('masks all of a passkey proof but its kind', () => {
    const assertion = { credentialId: 'abc', type: 'public-key', transports: ['usb'], signature: 'xyz' };
    expect(maskBody({ assertion })).toEqual({
      assertion: { credentialId: 'aaa', type: 'public-key', transports: ['usb'], signature: 'aaa' },
    });
  });

  it('knows secrets by their form', () => {
    expect(maskBody({ deviceCode: { code: 'AGENT-Q7X2-9K4M' } })).toEqual({ deviceCode: { code: 'AGENT-A1A1-1A1A' } });
    expect(maskUrl('http://h/2025-10-13/agents/device-codes/AGENT-Q7X2-9K4M/redeem')).toMatch(/AGENT-A1A1-1A1A/);
    expect(maskBody(`a note with agent_${'0f'.repeat(32)}`)).toBe(`a note with agent_${'1a'.repeat(32)}`);
  });

  it('credentials keep their scheme and no more', () => {
    expect(maskHeader('authorization', 'Basic c2FuZGJveDpzYW5kYm94')).toBe('Basic bWFza2VkOm1hc2tlZA==');
    expect(maskHeader('Authorization', 'Bearer agent_1')).toBe('Bearer masked');
    expect(maskHeader('Cookie', 'sid=1')).toBe('masked');
    expect(maskHeader('Service-Wallet-Signature', 'eyJ')).toBe('masked');
    expect(maskHeader('X-Api-Key', 'k')).toBe('masked');
    expect(maskHeader('X-Encrypted-Session-Signing-Key', 'k')).toBe('masked');
    expect(maskHeader('Content-Type', 'application/json')).toBe('application/json');
  });
});
