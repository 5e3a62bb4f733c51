import * as api from './made/api.ts';
import * as schemas from './made/zod.ts';
import { authorization, base, impossibleCustomer, newCustomer, say, unexpected } from './said.ts';

// The functions request a path only, and the application adds the server's address.
const plain = globalThis.fetch;
globalThis.fetch = (input, init) => plain(typeof input === 'string' ? base + input : input, init);
const options = { headers: { authorization } };
const page = await api.listCustomers({ limit: 5 }, options);
const created = await api.createCustomer(newCustomer, options);
const refused = await api.createCustomer(impossibleCustomer, options);
if (page.status !== 200 || created.status !== 201) unexpected([page, created]);
if (refused.status !== 400) unexpected(refused);
schemas.CreateCustomerBody.parse(newCustomer);
schemas.ListCustomersResponse.parse(page.data);
say({ listed: page.data.data.length, created: created.data.id, refused: refused.data.code });
