import { setConfig } from '@kubb/plugin-client/clients/fetch';
import { createCustomer } from './made/clients/createCustomer.ts';
import { listCustomers } from './made/clients/listCustomers.ts';
import type { CreateCustomer400 } from './made/types/CreateCustomer.ts';
import { createCustomer400Schema } from './made/zod/createCustomerSchema.ts';
import { authorization, base, impossibleCustomer, newCustomer, say } from './said.ts';

// Its client sets no media type for the JSON that it sends.
setConfig({ baseURL: base, headers: { authorization, 'content-type': 'application/json' } });
const page = await listCustomers({ limit: 5 });
const created = await createCustomer(newCustomer);
// Its client returns an error like a success, so the schema of the 400 must read it.
let seen: unknown;
const plain = globalThis.fetch;
globalThis.fetch = async (input, init) => {
  const response = await plain(input, init);
  seen = await response.clone().json();
  return response;
};
await createCustomer(impossibleCustomer).catch(() => undefined);
const refused: CreateCustomer400 = createCustomer400Schema.parse(seen);
say({ listed: page.data.length, created: created.id, refused: refused.code });
