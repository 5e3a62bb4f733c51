import { type FormEvent, useMemo } from 'react';
import { useAct } from '../parts/act.tsx';
import { Amount, Empty, Failure, Id, Panel, State, Time, useCall } from '../parts/basics.tsx';
import { formatAmount, parseAmount, words } from '../parts/format.ts';
import { LongList } from '../parts/list.tsx';
import { useEntries } from '../platform/live.tsx';
import { addressOf, go, usePlace } from '../platform/router.tsx';
import { useSession } from '../platform/session.tsx';

const statuses = [
  'CREATED',
  'PENDING',
  'PROCESSING',
  'COMPLETED',
  'REJECTED',
  'FAILED',
  'REFUNDED',
  'EXPIRED',
] as const;

/** Quotes and transactions, and the payments that only a sandbox can make. */
export function Money() {
  const { serviceQuery } = useSession();
  const { query: place } = usePlace();
  const status = statuses.find((one) => one === place.get('status'));
  const pages = serviceQuery.useInfiniteQuery(
    'get',
    '/transactions',
    { params: { query: { limit: 100, ...(status === undefined ? {} : { status }) } } },
    {
      pageParamName: 'cursor',
      // Null: if it were left out, it would be 0.
      initialPageParam: null,
      getNextPageParam: (last: { readonly nextCursor?: string }) => last.nextCursor,
    },
  );
  const { data, error, fetchNextPage, hasNextPage, isFetching } = pages;
  const all = useMemo(() => (data?.pages ?? []).flatMap((page) => page?.data ?? []), [data]);
  const call = useCall('createQuote', {
    source: { sourceType: 'ACCOUNT', accountId: 'InternalAccount:…' },
    destination: { destinationType: 'ACCOUNT', accountId: 'ExternalAccount:…' },
    lockedCurrencySide: 'SENDING',
    lockedCurrencyAmount: 1000,
    immediatelyExecute: true,
  });
  return (
    <>
      <header>
        <h1>Money</h1>
        <span className="soft count">{data?.pages[0]?.totalCount ?? ''} transactions</span>
      </header>
      <div className="bar">
        <label>
          Status
          <select
            value={status ?? ''}
            onChange={(event) => {
              const next = event.target.value === '' ? {} : { status: event.target.value };
              go(addressOf('money', undefined, next), { replace: true });
            }}
          >
            <option value="">all</option>
            {statuses.map((one) => (
              <option key={one} value={one}>
                {words(one)}
              </option>
            ))}
          </select>
        </label>
      </div>
      {error ? <Failure error={error} /> : null}
      {data !== undefined && all.length === 0 ? (
        <Empty call={call}>
          No transaction {status === undefined ? 'was made yet' : 'has this status'}. To create one:
        </Empty>
      ) : (
        <div className="money">
          <LongList
            label="Transactions"
            items={all}
            keyOf={({ id }) => id}
            hrefOf={({ id }) => addressOf('money', id)}
            onEnd={() => {
              if (hasNextPage && !isFetching) void fetchNextPage();
            }}
            head={
              <>
                <span>Created (UTC)</span>
                <span>Type</span>
                <span>Received</span>
                <span>Status</span>
              </>
            }
          >
            {(transaction) => (
              <>
                <Time value={transaction.createdAt} />
                <span>{words(transaction.type)}</span>
                <Amount value={transaction.receivedAmount} />
                <span>
                  <State value={transaction.status} />
                </span>
              </>
            )}
          </LongList>
        </div>
      )}
      <Quotes />
      <div className="grid">
        <PayQuote />
        <ReceiveUma />
      </div>
    </>
  );
}

interface SeenQuote {
  readonly id: string;
  readonly status: string;
  readonly totalSendingAmount: number;
  readonly sendingCurrency: { readonly code: string; readonly decimals: number };
  readonly createdAt: string;
}

/** No operation lists quotes, so these are the quotes in the journal. */
function Quotes() {
  const entries = useEntries();
  const quotes = useMemo(() => {
    const found = new Map<string, SeenQuote>();
    for (const { response } of entries) {
      const body = response.body as Partial<SeenQuote> | undefined;
      if (
        response.status < 300 &&
        typeof body?.id === 'string' &&
        body.id.startsWith('Quote:') &&
        !found.has(body.id)
      ) {
        found.set(body.id, body as SeenQuote);
      }
    }
    return [...found.values()].slice(0, 20);
  }, [entries]);
  return (
    <Panel title="Quotes in the journal">
      {quotes.length === 0 ? (
        <p className="soft">The journal has no quotes. Quotes appear here when an app creates them.</p>
      ) : (
        <ul className="plain">
          {quotes.map(({ id, status, totalSendingAmount, sendingCurrency, createdAt }) => (
            <li key={id} className="line">
              <Id value={id} />
              <span className="amount">
                {formatAmount(totalSendingAmount, sendingCurrency.code, sendingCurrency.decimals)}
              </span>
              <span className="soft">last seen as</span>
              <State value={status} />
              <span className="end">
                <Time value={createdAt} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function textsOf(event: FormEvent<HTMLFormElement>): (name: string) => string {
  event.preventDefault();
  const form = new FormData(event.currentTarget);
  return (name) => String(form.get(name) ?? '').trim();
}

/** Pays the amount in a quote's instructions. */
function PayQuote() {
  const { service } = useSession();
  const act = useAct();
  return (
    <Panel title="Pay a quote in">
      <p className="soft">Simulates the payment that a quote with real-time funding waits for.</p>
      <form
        className="inline"
        onSubmit={(event) => {
          const text = textsOf(event);
          const body = { quoteId: text('quoteId'), currencyCode: text('currencyCode') };
          void act('The quote was paid.', () => service.POST('/sandbox/send', { body }));
        }}
      >
        <label>
          Quote
          <input name="quoteId" required placeholder="Quote:…" />
        </label>
        <label>
          Currency
          <input name="currencyCode" required size={6} placeholder="USD" />
        </label>
        <button type="submit">Pay</button>
      </form>
    </Panel>
  );
}

/** Simulates a payment from another provider. */
function ReceiveUma() {
  const { service } = useSession();
  const act = useAct();
  return (
    <Panel title="Receive a UMA payment">
      <p className="soft">Simulates a payment that arrives for one of your customers.</p>
      <form
        className="inline"
        onSubmit={(event) => {
          const text = textsOf(event);
          const receivingCurrencyCode = text('currency').toUpperCase();
          const receivingCurrencyAmount = parseAmount(text('amount'), receivingCurrencyCode);
          if (receivingCurrencyAmount === undefined) {
            act.say(`That isn't an amount in ${receivingCurrencyCode}.`);
            return;
          }
          const body = {
            senderUmaAddress: text('sender'),
            receiverUmaAddress: text('receiver'),
            receivingCurrencyCode,
            receivingCurrencyAmount,
          };
          void act('The payment arrived.', () => service.POST('/sandbox/uma/receive', { body }));
        }}
      >
        <label>
          Sender
          <input name="sender" required defaultValue="$success.usd@sandbox.example" />
        </label>
        <label>
          Receiver
          <input name="receiver" required placeholder="$name@…" />
        </label>
        <label>
          Currency
          <input name="currency" required size={6} defaultValue="USD" />
        </label>
        <label>
          Amount
          <input name="amount" required size={10} inputMode="decimal" placeholder="10.00" />
        </label>
        <button type="submit">Receive</button>
      </form>
    </Panel>
  );
}
