import { useEffect, useMemo } from 'react';
import type { Customer } from '../../generated/types.ts';
import { Empty, Failure, State, useCall } from '../parts/basics.tsx';
import { words } from '../parts/format.ts';
import { LongList } from '../parts/list.tsx';
import { addressOf, go, usePlace } from '../platform/router.tsx';
import { useSession } from '../platform/session.tsx';

const types = ['INDIVIDUAL', 'BUSINESS'] as const;

/** All customers. The search looks into every field of the loaded ones, and loads more until it has all. */
export function Customers() {
  const { serviceQuery } = useSession();
  const { query: place } = usePlace();
  const text = place.get('text') ?? '';
  const type = types.find((one) => one === place.get('type'));
  const pages = serviceQuery.useInfiniteQuery(
    'get',
    '/customers',
    { params: { query: { limit: 100, ...(type === undefined ? {} : { customerType: type }) } } },
    {
      pageParamName: 'cursor',
      // Null: if it were left out, it would be 0.
      initialPageParam: null,
      getNextPageParam: (last: { readonly nextCursor?: string }) => last.nextCursor,
    },
  );
  const { data, error, fetchNextPage, hasNextPage, isFetching } = pages;
  const all = useMemo(() => (data?.pages ?? []).flatMap((page) => page?.data ?? []), [data]);
  const wanted = text.trim().toLowerCase();
  const found = useMemo(
    () => (wanted === '' ? all : all.filter((one) => JSON.stringify(one).toLowerCase().includes(wanted))),
    [all, wanted],
  );
  const total = data?.pages[0]?.totalCount;
  useEffect(() => {
    if (wanted !== '' && hasNextPage && !isFetching) void fetchNextPage();
  }, [wanted, hasNextPage, isFetching, fetchNextPage]);
  const filter = (name: string, value: string): void => {
    const next = Object.fromEntries(place);
    if (value === '') delete next[name];
    else next[name] = value;
    go(addressOf('customers', undefined, next), { replace: true });
  };
  const call = useCall('createCustomer', {
    customerType: 'INDIVIDUAL',
    fullName: 'Ada Byron',
    email: 'ada@example.com',
  });
  return (
    <>
      <header>
        <h1>Customers</h1>
        <span className="soft count" role="status">
          {total === undefined ? '' : wanted === '' ? `${total}` : `${found.length} found in ${all.length} of ${total}`}
        </span>
      </header>
      <div className="bar">
        <label className="grow">
          Search name, e-mail, id or any other field
          <input type="search" value={text} onChange={(event) => filter('text', event.target.value)} />
        </label>
        <label>
          Type
          <select value={type ?? ''} onChange={(event) => filter('type', event.target.value)}>
            <option value="">all</option>
            {types.map((one) => (
              <option key={one} value={one}>
                {words(one)}
              </option>
            ))}
          </select>
        </label>
      </div>
      {error ? <Failure error={error} /> : null}
      {data === undefined ? (
        <p className="soft">{error ? '' : 'Loading…'}</p>
      ) : found.length === 0 ? (
        <Empty call={call}>
          {total === 0
            ? 'There are no customers yet. To create one:'
            : hasNextPage
              ? 'Looking…'
              : 'No customer matches. To create one:'}
        </Empty>
      ) : (
        <div className="people">
          <LongList
            label="Customers"
            items={found}
            keyOf={({ id }) => id}
            hrefOf={({ id }) => addressOf('customers', id)}
            onEnd={() => {
              if (hasNextPage && !isFetching) void fetchNextPage();
            }}
            head={
              <>
                <span>Name</span>
                <span>E-mail</span>
                <span>Type</span>
                <span>Verified</span>
              </>
            }
          >
            {(customer) => (
              <>
                <span>{nameOf(customer)}</span>
                <span>{customer.email}</span>
                <span>{words(customer.customerType)}</span>
                <span>
                  <State value={customer.customerType === 'BUSINESS' ? customer.kybStatus : customer.kycStatus} />
                </span>
              </>
            )}
          </LongList>
        </div>
      )}
    </>
  );
}

/** The name of a customer, or otherwise the platform's own id for it. */
export function nameOf(customer: Customer): string {
  const name = customer.customerType === 'BUSINESS' ? customer.businessInfo?.legalName : customer.fullName;
  return name ?? customer.email ?? customer.platformCustomerId;
}
