import { passOn, refuse } from '../../../lib/replies';
import { createService } from '../../../lib/service';
import { findCustomer } from '../../../lib/session';

/** The accounts of the customer who is signed in. */
export async function GET(): Promise<Response> {
  const customerId = await findCustomer();
  if (customerId === undefined) return refuse(401, 'Sign in first.');
  return passOn(await createService().GET('/customers/internal-accounts', { params: { query: { customerId } } }));
}
