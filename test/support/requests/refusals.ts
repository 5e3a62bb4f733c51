/** Tests for errors that all operations share, called from each operation's test file. */
import { describe, expect, test } from 'vitest';
import { type OperationId, operations } from '../../../generated/operations.ts';
import { basic, data, openSandbox } from '../sandbox/harness.ts';

/**
 * Adds tests to the file that calls it: 401 without valid credentials, 403 with every permission except the required
 * one, 400 for an unknown query parameter.
 * @param path a valid path of the operation; its ids need not exist.
 */
export function testCommonRefusals(operationId: OperationId, path: string): void {
  const { method, permission } = operations.find(({ id }) => id === operationId) ?? {};
  if (method === undefined) throw new Error(`No operation ${operationId}`);

  describe('what every operation refuses', () => {
    test.each([
      ['no credentials', null],
      ['a wrong secret', basic('sandbox', 'wrong')],
      ['another scheme', 'Bearer sandbox'],
    ])('%s: 401', async (_name, authorization) => {
      const sandbox = await openSandbox();
      const answer = await sandbox.send(method, path, { authorization });
      expect(answer).toMatchObject({ status: 401, body: { status: 401, code: 'UNAUTHORIZED' } });
      expect(answer.headers.get('www-authenticate')).toMatch(/^Basic /);
    });

    test(`a token without ${permission}: 403`, async () => {
      const sandbox = await openSandbox();
      const permissions = (['VIEW', 'TRANSACT', 'MANAGE'] as const).filter((one) => one !== permission);
      const token = data(await sandbox.client.POST('/tokens', { body: { name: 'Others', permissions } }));
      const authorization = basic(token.clientId, token.clientSecret);
      const answer = await sandbox.send(method, path, { authorization });
      expect(answer).toMatchObject({ status: 403, body: { status: 403, code: 'FORBIDDEN' } });
    });

    test('an unknown query parameter: 400', async () => {
      const sandbox = await openSandbox();
      const answer = await sandbox.send(method, `${path}${path.includes('?') ? '&' : '?'}surprise=1`);
      expect(answer).toMatchObject({ status: 400, body: { status: 400, code: 'INVALID_INPUT' } });
      expect(answer.body.details.errors).toContainEqual(expect.objectContaining({ in: 'query', pointer: '/surprise' }));
    });
  });
}
