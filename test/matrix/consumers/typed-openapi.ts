import { createApiClient } from './made/client.ts';
import { authorization, base, impossibleCustomer, newCustomer, say, unexpected } from './said.ts';

const api = createApiClient(
  {
    fetch: ({ method, url, urlSearchParams, parameters }) => {
      if (urlSearchParams !== undefined) url.search = urlSearchParams.toString();
      const headers = { authorization, 'content-type': 'application/json' };
      return fetch(url, {
        method,
        headers,
        ...(parameters?.body !== undefined && { body: JSON.stringify(parameters.body) }),
      });
    },
  },
  base,
);
const page = await api.get('/customers', { query: { limit: 5 } });
const created = await api.post('/customers', { body: newCustomer });
const refused = await api.post('/customers', {
  body: impossibleCustomer,
  withResponse: true,
  throwOnStatusError: false,
});
if (refused.status !== 400) unexpected(refused.status);
say({ listed: page.data.length, created: created.id, refused: refused.data.code });
