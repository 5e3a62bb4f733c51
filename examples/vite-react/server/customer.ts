import { createServiceClient } from 'countersign';
import type { ServiceSettings } from './settings.ts';

/** The customer of every visitor in this example. Your app has its own users: store their customer ids with them. */
export async function findDemoCustomer(settings: ServiceSettings): Promise<string> {
  const { data, error } = await createServiceClient(settings).GET('/customers', {
    params: { query: { platformCustomerId: 'world-individual' } },
  });
  if (error) throw new Error(`The service has no customer for this example: ${error.message}`);
  const [customer] = data.data;
  if (customer === undefined) throw new Error('The service has no customer world-individual.');
  return customer.id;
}
