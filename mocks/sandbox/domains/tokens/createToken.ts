import { toHex } from '../../node/machine/bytes.ts';
import { sha256Hex } from '../../node/machine/crypto.ts';
import { operation } from '../operation.ts';
import { storeToken } from './procedures.ts';
import { viewToken } from './records.ts';

/**
 * POST /tokens: creates a token with a random client id and a secret of 256 bits. Only this reply shows the secret
 * (D11).
 */
export const createToken = operation('createToken', {
  async handle(call, unit) {
    const clientId = toHex(unit.chance().bytes(16));
    const clientSecret = toHex(unit.chance().bytes(32));
    const secretHash = sha256Hex(clientSecret);
    const token = await storeToken(unit, { ...call.body, clientId, secretHash });
    return { status: 201, body: { ...viewToken(token), clientSecret } };
  },
});
