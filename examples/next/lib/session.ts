import 'server-only';
import { cookies } from 'next/headers';
import { createService } from './service';

/**
 * The customer who is signed in. This example takes the cookie `user` as it is; yours comes from your session, and the
 * customer's id is kept with your user.
 */
export async function findCustomer(): Promise<string | undefined> {
  const platformCustomerId = (await cookies()).get('user')?.value;
  if (platformCustomerId === undefined) return undefined;
  const { data } = await createService().GET('/customers', { params: { query: { platformCustomerId } } });
  return data?.data[0]?.id;
}
