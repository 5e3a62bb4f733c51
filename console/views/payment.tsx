import type { ReactNode } from 'react';
import type { Quote, Transaction } from '../../generated/types.ts';
import { useAct } from '../parts/act.tsx';
import { Amount, Facts, Id, Loaded, Panel, State, Time, Value } from '../parts/basics.tsx';
import { ClockButtons } from '../parts/clockButtons.tsx';
import { formatAmount, formatWait, words } from '../parts/format.ts';
import { Json } from '../parts/json.tsx';
import { titleOf } from '../parts/reached.ts';
import { useDue, usePlatformClock } from '../platform/clock.ts';
import { useEntries } from '../platform/live.tsx';
import { costly } from '../platform/readAgain.ts';
import { addressOf, Link } from '../platform/router.tsx';
import { useSession } from '../platform/session.tsx';

/** A quote or a transaction: its states over time, its movements, and what is due at which second. */
export default function Payment({ id }: { readonly id: string }) {
  return (
    <>
      <header>
        <h1 className="wrap">{id}</h1>
        <div className="end">
          <Link className="button" href={addressOf('traffic', undefined, { text: id })}>
            Traffic
          </Link>
          <Link className="button" href={addressOf('money')}>
            All transactions
          </Link>
        </div>
      </header>
      {id.startsWith('Quote:') ? <QuoteDetails id={id} /> : <TransactionDetails id={id} />}
    </>
  );
}

interface Moment {
  readonly at: string;
  readonly what: ReactNode;
  readonly isLater?: boolean;
}

function Timeline({ moments, ids }: { readonly moments: readonly Moment[]; readonly ids: readonly string[] }) {
  const { now } = usePlatformClock();
  const due = useDue(now);
  const later = (due.data?.data ?? [])
    .filter(({ subjectId }) => ids.includes(subjectId))
    .map(({ kind, dueAt }) => ({
      at: dueAt,
      what: `${words(kind)} ${now === undefined ? '' : formatWait(Date.parse(dueAt) - now)}`,
      isLater: true,
    }));
  const all = [...moments, ...later].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  return (
    <Panel title="Timeline">
      <ol className="timeline">
        {all.map(({ at, what, isLater }) => (
          <li key={`${at} ${String(what)}`} className={isLater ? 'later' : ''}>
            <Time value={at} /> {what}
          </li>
        ))}
      </ol>
      <ClockButtons />
    </Panel>
  );
}

/** The requests in the journal that changed it. */
function useMoments(id: string): Moment[] {
  const entries = useEntries();
  return entries
    .filter(
      ({ request, response }) => request.method !== 'GET' && JSON.stringify([request.url, response.body]).includes(id),
    )
    .slice(0, 20)
    .map((entry) => ({
      at: entry.startedAt,
      what: (
        <Link key={entry.id} href={addressOf('traffic', entry.id)}>
          {titleOf(entry)} {entry.response.status}
        </Link>
      ),
    }));
}

/** Either side of a payment. */
function Side({ side }: { readonly side: Transaction['source'] | Transaction['destination'] | Quote['source'] }) {
  const facts = Object.entries(side as unknown as Record<string, unknown>).filter(
    ([, value]) => typeof value === 'string',
  );
  return (
    <span className="line">
      {facts.map(([name, value]) => (
        <Value key={name} value={String(value)} />
      ))}
    </span>
  );
}

function TransactionDetails({ id }: { readonly id: string }) {
  const { serviceQuery } = useSession();
  const query = serviceQuery.useQuery('get', '/transactions/{transactionId}', {
    params: { path: { transactionId: id } },
  });
  const moments = useMoments(id);
  return (
    <Loaded query={query}>
      {(data) => {
        const quoteId = data.type === 'OUTGOING' ? data.quoteId : undefined;
        const states: Moment[] = [
          { at: data.createdAt, what: 'created' },
          ...(data.settledAt === undefined ? [] : [{ at: data.settledAt, what: 'settled' }]),
        ];
        return (
          <div className="grid">
            <Panel title="Transaction">
              <Facts
                rows={[
                  ['Status', <State key="s" value={data.status} />],
                  ['Type', words(data.type)],
                  ['Failed because', data.failureReason === undefined ? undefined : words(data.failureReason)],
                  ['Customer', data.customerId === undefined ? undefined : <Id key="c" value={data.customerId} />],
                  ['Quote', quoteId === undefined ? undefined : <Id key="q" value={quoteId} />],
                  ['Agent', data.agentId === undefined ? undefined : <Id key="a" value={data.agentId} />],
                  ['From', <Side key="f" side={data.source} />],
                  ['To', <Side key="t" side={data.destination} />],
                  ['Description', data.description],
                ]}
              />
            </Panel>
            <Panel title="What moved">
              <Facts
                rows={[
                  ['Sent', data.type === 'OUTGOING' ? <Amount key="s" value={data.sentAmount} /> : undefined],
                  ['Received', <Amount key="r" value={data.receivedAmount} />],
                  ['Fees', String(data.fees)],
                  ['Rate', data.type === 'OUTGOING' ? String(data.exchangeRate) : undefined],
                  ['Reference', data.reconciliationInstructions.reference],
                  [
                    'Refund',
                    data.type === 'OUTGOING' && data.refund
                      ? `${words(data.refund.status)}, ${words(data.refund.reason)}`
                      : undefined,
                  ],
                ]}
              />
              <details>
                <summary>Every field</summary>
                <Json value={data} label="Transaction as JSON" />
              </details>
            </Panel>
            <Movements transactionId={id} />
            <Timeline moments={[...states, ...moments]} ids={quoteId === undefined ? [id] : [id, quoteId]} />
          </div>
        );
      }}
    </Loaded>
  );
}

/** The movements in the ledger. The sandbox reads its whole ledger for them, so only the button reads them again. */
function Movements({ transactionId }: { readonly transactionId: string }) {
  const { controlQuery } = useSession();
  const query = controlQuery.useQuery('get', '/ledger', { params: { query: { transactionId } } }, costly);
  return (
    <Panel
      title="Ledger movements"
      actions={
        <button type="button" className="small" onClick={() => void query.refetch()}>
          Refresh
        </button>
      }
    >
      <Loaded query={query}>
        {({ movements = [] }) =>
          movements.length === 0 ? (
            <p className="soft">Nothing has moved yet.</p>
          ) : (
            <ol className="plain">
              {movements.map(({ from, to, amount, currency, at }) => (
                <li key={`${at} ${from} ${to} ${amount}`}>
                  <Time value={at} /> <span className="amount">{formatAmount(amount, currency)}</span> from{' '}
                  <Value value={from} /> to <Value value={to} />
                </li>
              ))}
            </ol>
          )
        }
      </Loaded>
    </Panel>
  );
}

function QuoteDetails({ id }: { readonly id: string }) {
  const { serviceQuery, service } = useSession();
  const act = useAct();
  const params = { path: { quoteId: id } };
  const query = serviceQuery.useQuery('get', '/quotes/{quoteId}', { params });
  const moments = useMoments(id);
  return (
    <Loaded query={query}>
      {(data) => {
        const { transactionId } = data;
        return (
          <div className="grid">
            <Panel
              title="Quote"
              actions={
                data.status === 'PENDING' ? (
                  <button
                    type="button"
                    className="small"
                    onClick={() =>
                      act('The quote was executed.', () => service.POST('/quotes/{quoteId}/execute', { params }))
                    }
                  >
                    Execute
                  </button>
                ) : null
              }
            >
              <Facts
                rows={[
                  ['Status', <State key="s" value={data.status} />],
                  [
                    'Sends',
                    formatAmount(data.totalSendingAmount, data.sendingCurrency.code, data.sendingCurrency.decimals),
                  ],
                  [
                    'Receives',
                    formatAmount(
                      data.totalReceivingAmount,
                      data.receivingCurrency.code,
                      data.receivingCurrency.decimals,
                    ),
                  ],
                  ['Rate', String(data.exchangeRate)],
                  ['Fees', formatAmount(data.feesIncluded, data.sendingCurrency.code, data.sendingCurrency.decimals)],
                  ['From', <Side key="f" side={data.source} />],
                  ['To', <Side key="t" side={data.destination} />],
                  ['Transaction', transactionId === undefined ? undefined : <Id key="x" value={transactionId} />],
                ]}
              />
              <details>
                <summary>Every field</summary>
                <Json value={data} label="Quote as JSON" />
              </details>
            </Panel>
            <Timeline
              moments={[{ at: data.createdAt, what: 'created' }, ...moments]}
              ids={transactionId === undefined ? [id] : [id, transactionId]}
            />
          </div>
        );
      }}
    </Loaded>
  );
}
