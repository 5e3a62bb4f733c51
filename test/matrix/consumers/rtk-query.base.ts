import { createApi, fetchBaseQuery } from '@reduxjs/toolkit/query';
import { authorization, base } from './said.ts';

export const emptyApi = createApi({
  baseQuery: fetchBaseQuery({ baseUrl: base, headers: { authorization } }),
  endpoints: () => ({}),
});
