import { Api } from './made/api.ts';
import { authorization, base, impossibleCustomer, newCustomer, say, unexpected } from './said.ts';

const api = new Api({ baseUrl: base, baseApiParams: { headers: { authorization } } });
const page = await api.customers.listCustomers({ limit: 5 });
const created = await api.customers.createCustomer(newCustomer);
const refused = await api.customers.createCustomer(impossibleCustomer).catch((response: typeof created) => response);
// It has one error type for all statuses of an operation.
const { code } = refused.error;
if (code !== 'INVALID_CURRENCY') unexpected(refused);
say({ listed: page.data.data.length, created: created.data.id, refused: code });
