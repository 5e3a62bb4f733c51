import { isErrorFromAlias } from '@zodios/core';
import { api, createApiClient } from './made/client.ts';
import { authorization, base, impossibleCustomer, newCustomer, say, unexpected } from './said.ts';

const client = createApiClient(base, { axiosConfig: { headers: { authorization } } });
const page = await client.listCustomers({ queries: { limit: 5 } });
const created = await client.createCustomer(newCustomer);
const fault: unknown = await client.createCustomer(impossibleCustomer).catch((error: unknown) => error);
if (!isErrorFromAlias(api.api, 'createCustomer', fault) || fault.response.status !== 400) unexpected(fault);
const { code } = fault.response.data;
if (code !== 'INVALID_CURRENCY') unexpected(code);
say({ listed: page.data.length, created: created.id, refused: code });
