import { client } from './made/client.gen.ts';
import { createCustomer, listCustomers } from './made/sdk.gen.ts';
import { authorization, base, impossibleCustomer, newCustomer, say, unexpected } from './said.ts';

client.setConfig({ baseUrl: base, headers: { authorization } });
const page = await listCustomers({ query: { limit: 5 } });
const created = await createCustomer({ body: newCustomer });
const refused = await createCustomer({ body: impossibleCustomer });
if (page.data === undefined || created.data === undefined) unexpected([page.error, created.error]);
const { error } = refused;
if (error?.code !== 'INVALID_CURRENCY') unexpected(refused);
say({ listed: page.data.data.length, created: created.data.id, refused: error.code });
