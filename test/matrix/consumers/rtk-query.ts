import { configureStore } from '@reduxjs/toolkit';
import { api, type CreateCustomerApiResponse } from './made/api.ts';
import { impossibleCustomer, newCustomer, say, unexpected } from './said.ts';

const store = configureStore({
  reducer: { [api.reducerPath]: api.reducer },
  middleware: (usual) => usual().concat(api.middleware),
});
const page = await store.dispatch(api.endpoints.listCustomers.initiate({ limit: 5 }));
const create = api.endpoints.createCustomer;
const created = await store.dispatch(create.initiate({ customerCreateRequest: newCustomer }));
const refused = await store.dispatch(create.initiate({ customerCreateRequest: impossibleCustomer }));
if (page.data === undefined || created.data === undefined) unexpected([page, created]);
const { id }: CreateCustomerApiResponse = created.data;
// It has no types for errors.
const { error } = refused as { error?: { data: { code: 'INVALID_INPUT' | 'INVALID_CURRENCY' } } };
if (error === undefined) unexpected(refused);
say({ listed: page.data.data.length, created: id, refused: error.data.code });
