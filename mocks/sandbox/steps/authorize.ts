import type { TokenRequester } from '../domains/operation.ts';
import { Problem } from '../tools/problem.ts';

/**
 * Checks that a token has the operation's permission. One permission doesn't include another (D11). The domain checks
 * an agent's policy later, after it has found what the request names (D32).
 * @throws Problem 403 `FORBIDDEN`, before anything is read or changed.
 */
export function authorize(requester: TokenRequester, permission: 'VIEW' | 'TRANSACT' | 'MANAGE'): void {
  if (requester.permissions.includes(permission)) return;
  const held = requester.permissions.join(', ');
  throw new Problem('FORBIDDEN', `This operation needs a token with ${permission}; yours has ${held}.`);
}
