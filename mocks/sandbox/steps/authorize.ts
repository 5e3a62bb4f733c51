import type { TokenRequester } from '../domains/operation.ts';
import { Problem } from '../tools/problem.ts';

/**
 * The token has the permission that the operation asks for; they don't imply each other (D11). What an agent's policy
 * must permit is examined by the domain, after what it names (D32).
 * @throws Problem 403 `FORBIDDEN`, before anything has been read or changed.
 */
export function authorize(requester: TokenRequester, permission: 'VIEW' | 'TRANSACT' | 'MANAGE'): void {
  if (requester.permissions.includes(permission)) return;
  const held = requester.permissions.join(', ');
  throw new Problem('FORBIDDEN', `This needs a token with ${permission}; yours has ${held}.`);
}
