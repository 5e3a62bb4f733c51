import { createCustomer, defaults, listCustomers } from './made/client.ts';
import { authorization, base, impossibleCustomer, newCustomer, say, unexpected } from './said.ts';

defaults.baseUrl = base;
defaults.headers = { authorization };
const page = await listCustomers({ limit: 5 });
const created = await createCustomer(newCustomer);
const refused = await createCustomer(impossibleCustomer);
if (page.status !== 200 || created.status !== 201) unexpected([page, created]);
if (refused.status !== 400) unexpected(refused);
say({ listed: page.data.data.length, created: created.data.id, refused: refused.data.code });
