import { createClient, type NormalizeOAS } from 'fets';
import type openapi from './made/openapi.ts';
import { authorization, base, impossibleCustomer, newCustomer, say, unexpected } from './said.ts';

const client = createClient<NormalizeOAS<typeof openapi>>({
  // Its types accept only the address in the contract.
  endpoint: base as (typeof openapi)['servers'][0]['url'],
});
const headers = { Authorization: authorization };
const page = await client['/customers'].get({ headers, query: { limit: 5 } });
const created = await client['/customers'].post({ headers, json: newCustomer });
const refused = await client['/customers'].post({ headers, json: impossibleCustomer });
if (page.status !== 200 || created.status !== 201) unexpected([page.status, created.status]);
if (refused.status !== 400) unexpected(refused.status);
const { data } = await page.json();
const { id } = await created.json();
const { code } = await refused.json();
say({ listed: data.length, created: id, refused: code });
