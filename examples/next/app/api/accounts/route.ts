import { passOn, refuse } from '../../../lib/replies';
import { createService } from '../../../lib/service';
import { findCustomer } from '../../../lib/session';

/** Returns the accounts of the signed-in customer. */
export async function GET(): Promise<Response> {
  const customerId = await findCustomer();
  if (customerId === undefined) return refuse(401, 'Sign in first.');
  return passOn(await createService().GET('/customers/internal-accounts', { params: { query: { customerId } } }));
}
