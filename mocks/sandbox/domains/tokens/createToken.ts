import { sha256 } from '../../tools/bytes.ts';
import { operation } from '../operation.ts';
import { storeToken } from './procedures.ts';
import { viewToken } from './records.ts';

/** POST /tokens: a token with a random client id and a secret of 256 bits, shown this once (D11). */
export const createToken = operation('createToken', {
  async handle(call, unit) {
    const clientId = Buffer.from(unit.chance().bytes(16)).toString('hex');
    const clientSecret = Buffer.from(unit.chance().bytes(32)).toString('hex');
    const secretHash = sha256(clientSecret).toString('hex');
    const token = await storeToken(unit, { ...call.body, clientId, secretHash });
    return { status: 201, body: { ...viewToken(token), clientSecret } };
  },
});
