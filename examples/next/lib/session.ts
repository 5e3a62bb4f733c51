import 'server-only';
import { cookies } from 'next/headers';
import { createService } from './service';

/**
 * The id of the signed-in customer. This example trusts the cookie `user`. In your app, use your session, and store the
 * customer's id with your user.
 */
export async function findCustomer(): Promise<string | undefined> {
  const platformCustomerId = (await cookies()).get('user')?.value;
  if (platformCustomerId === undefined) return undefined;
  const { data } = await createService().GET('/customers', { params: { query: { platformCustomerId } } });
  return data?.data[0]?.id;
}
