import { passOn, refuse } from '../../../lib/replies';
import { createService } from '../../../lib/service';
import { findCustomer } from '../../../lib/session';

/** Pays out to the first bank account of the signed-in customer, once for each `Idempotency-Key`. */
export async function POST(request: Request): Promise<Response> {
  const customerId = await findCustomer();
  if (customerId === undefined) return refuse(401, 'Sign in first.');
  const body: unknown = await request.json().catch(() => undefined);
  const cents = typeof body === 'object' && body !== null && 'cents' in body ? body.cents : undefined;
  const key = request.headers.get('Idempotency-Key');
  if (typeof cents !== 'number' || key === null) return refuse(400, 'Send cents, and an Idempotency-Key.');

  const service = createService();
  // The app looks up both accounts itself, so that no page can name another customer's account.
  const query = { customerId, currency: 'USD' } as const;
  const own = await service.GET('/customers/internal-accounts', { params: { query } });
  const banks = await service.GET('/customers/external-accounts', { params: { query } });
  const [source, destination] = [own.data?.data[0], banks.data?.data[0]];
  if (source === undefined || destination === undefined) return refuse(409, 'Register a bank account first.');
  return passOn(
    await service.POST('/transfer-out', {
      params: { header: { 'Idempotency-Key': key } },
      body: { source: { accountId: source.id }, destination: { accountId: destination.id }, amount: cents },
    }),
  );
}
