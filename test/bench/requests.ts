/** What is asked: one read of a record, one list, one write that changes state; and what was answered. */
import { request as httpRequest } from 'node:http';
import { createServiceClient } from '../../generated/client.ts';
import { type OperationId, version } from '../../generated/operations.ts';

export interface BenchRequest {
  readonly operationId: OperationId;
  readonly method: 'GET' | 'POST';
  /** From the origin on, query included. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface RecordedReply {
  readonly status: number;
  /** Names and values in turn, spelled as they came; without those that `node:http` adds to any reply by itself. */
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

const credentials = { clientId: 'sandbox', clientSecret: 'sandbox' };
const headers = {
  authorization: `Basic ${Buffer.from(`${credentials.clientId}:${credentials.clientSecret}`).toString('base64')}`,
  accept: 'application/json',
};
// Enough for several pages of 20, so that the list is a full page out of a longer list.
const customerCount = 50;
const addedByNode = new Set(['date', 'connection', 'keep-alive']);

/**
 * Fills a sandbox with customers and answers the three requests, addressed to records in it.
 * @throws Error when the sandbox refuses.
 */
export async function prepareWorld(origin: string): Promise<BenchRequest[]> {
  const client = createServiceClient({ baseUrl: `${origin}/${version}`, credentials });
  let customerId = '';
  for (let number = 1; number <= customerCount; number += 1) {
    const { data, error } = await client.POST('/customers', {
      body: { customerType: 'INDIVIDUAL', email: `bench-${number}@example.com` },
    });
    if (data === undefined) throw new Error(`The sandbox made no customer: ${JSON.stringify(error)}`);
    customerId = data.id;
  }
  const { data: accounts } = await client.GET('/customers/internal-accounts', {
    params: { query: { customerId, currency: 'USD' } },
  });
  const accountId = accounts?.data[0]?.id;
  if (accountId === undefined) throw new Error('The customer has no account in USD');
  const at = (path: string): string => `/${version}${path}`;
  return [
    { operationId: 'getCustomer', method: 'GET', path: at(`/customers/${customerId}`), headers },
    { operationId: 'listInternalAccounts', method: 'GET', path: at('/customers/internal-accounts?limit=20'), headers },
    {
      operationId: 'fundInternalAccount',
      method: 'POST',
      path: at(`/sandbox/internal-accounts/${accountId}/fund`),
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ amount: 1 }),
    },
  ];
}

/** Sends one request and keeps the reply as it came over the wire. */
export function record(origin: string, { method, path, headers, body }: BenchRequest): Promise<RecordedReply> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(origin + path, { method, headers, agent: false }, (reply) => {
      const chunks: Buffer[] = [];
      reply.on('data', (chunk: Buffer) => chunks.push(chunk));
      reply.once('error', reject);
      reply.once('end', () => {
        const rawHeaders: string[] = [];
        for (let index = 0; index + 1 < reply.rawHeaders.length; index += 2) {
          const [name = '', value = ''] = reply.rawHeaders.slice(index, index + 2);
          if (!addedByNode.has(name.toLowerCase())) rawHeaders.push(name, value);
        }
        resolve({ status: reply.statusCode ?? 0, rawHeaders, body: Buffer.concat(chunks).toString() });
      });
    });
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}
