import type { ReactNode } from 'react';
import { Empty, Facts, Id, Loaded, Panel, Time, useCall } from '../parts/basics.tsx';
import { Boundary } from '../parts/boundary.tsx';
import { Chart } from '../parts/chart.tsx';
import { ClockButtons } from '../parts/clockButtons.tsx';
import { formatAmount, formatTime, formatWait, words } from '../parts/format.ts';
import { RefusedCredentials } from '../parts/refusedCredentials.tsx';
import { useDue, usePlatformClock } from '../platform/clock.ts';
import { useMinutes } from '../platform/live.tsx';
import { costly } from '../platform/readAgain.ts';
import { addressOf, Link } from '../platform/router.tsx';
import { useSession } from '../platform/session.tsx';

const one = { params: { query: { limit: 1 } } } as const;

/** The platform at a glance. */
export function Overview() {
  const { controlQuery, baseUrl } = useSession();
  const settings = controlQuery.useQuery('get', '/settings');
  const { query: clock, now } = usePlatformClock();
  const due = useDue(now);
  return (
    <>
      <header>
        <h1>Overview</h1>
      </header>
      <div className="grid">
        <Panel title="Platform">
          <Facts
            rows={[
              [
                'Base address',
                <span key="b" className="mono">
                  {baseUrl}
                </span>,
              ],
              ['Proofs', settings.data?.proofs],
              [
                'Clock',
                <Loaded key="c" query={clock}>
                  {(data) => (
                    <span className="mono">
                      {formatTime(new Date(now ?? data.now).toISOString())} UTC{data.frozen ? ' (frozen)' : ''}
                    </span>
                  )}
                </Loaded>,
              ],
            ]}
          />
          <ClockButtons />
        </Panel>
        <Panel title="Counts">
          <Counts />
        </Panel>
        <Balances />
        <Panel title="Due next">
          <Loaded query={due}>
            {({ data }) =>
              data.length === 0 ? (
                <p className="soft">Nothing is due. Quotes that expire and payments that settle later appear here.</p>
              ) : (
                <ul className="plain">
                  {data.slice(0, 8).map(({ kind, subjectId, dueAt }) => (
                    <li key={`${kind} ${subjectId}`} className="line">
                      <span>{words(kind)}</span>
                      <Id value={subjectId} />
                      <span className="end soft">
                        {now === undefined ? <Time value={dueAt} /> : formatWait(Date.parse(dueAt) - now)}
                      </span>
                    </li>
                  ))}
                </ul>
              )
            }
          </Loaded>
        </Panel>
      </div>
      <Requests />
    </>
  );
}

function Counts() {
  const { serviceQuery } = useSession();
  const customers = serviceQuery.useQuery('get', '/customers', one);
  const transactions = serviceQuery.useQuery('get', '/transactions', one);
  const agents = serviceQuery.useQuery('get', '/agents', one);
  const approvals = serviceQuery.useQuery('get', '/agents/approvals', one);
  const row = (title: string, view: string, count: number | undefined): readonly [string, ReactNode] => [
    title,
    <Link key={title} href={addressOf(view)} aria-label={`${title}: ${count ?? 'not known yet'}`}>
      <span className="count">{count ?? '…'}</span>
    </Link>,
  ];
  return (
    <Facts
      rows={[
        row('Customers', 'customers', customers.data?.totalCount),
        row('Transactions', 'money', transactions.data?.totalCount),
        row('Agents', 'agents', agents.data?.totalCount),
        row('Pending approvals', 'agents', approvals.data?.totalCount),
      ]}
    />
  );
}

/** The books balance: all accounts of a currency together hold what the places outside lack. */
function Balances() {
  const { controlQuery } = useSession();
  // The request reads all postings. So it is sent only by the button and when the view opens.
  const ledger = controlQuery.useQuery('get', '/ledger', {}, { ...costly, staleTime: 10_000 });
  return (
    <Panel
      title="Balances"
      actions={
        <button type="button" className="small" onClick={() => void ledger.refetch()}>
          Refresh
        </button>
      }
    >
      <Loaded query={ledger}>
        {({ sound, faults, places }) => {
          const totals = new Map<string, number>();
          for (const [place, amount] of Object.entries(places)) {
            const currency = /^(?:World|Held|Fees|Kept):([A-Z0-9]+)/.exec(place)?.[1];
            if (currency !== undefined) totals.set(currency, (totals.get(currency) ?? 0) - amount);
          }
          return (
            <>
              <Facts
                rows={[...totals].map(([currency, amount]) => [
                  currency,
                  <span key={currency} className="amount">
                    {formatAmount(amount, currency)}
                  </span>,
                ])}
              />
              <p className={sound ? 'soft' : 'failure'}>
                {sound ? 'In all internal accounts together. The books balance.' : faults.join(' ')}
              </p>
            </>
          );
        }}
      </Loaded>
    </Panel>
  );
}

function Requests() {
  const minutes = useMinutes();
  const call = useCall('listCustomers');
  const [requests, refused] = [
    minutes.reduce((sum, minute) => sum + minute.requests, 0),
    minutes.reduce((sum, minute) => sum + minute.refused, 0),
  ];
  return (
    <Panel title="Requests per minute">
      <RefusedCredentials isWaiting={requests === 0} />
      {requests === 0 ? (
        <Empty call={call}>There are no requests yet. To send one:</Empty>
      ) : (
        <>
          <Boundary what="The chart">
            <Chart minutes={minutes} />
          </Boundary>
          <p className="soft">
            {requests} requests in the last hour of the platform's clock, of which {refused} were refused (the red part
            of a bar).
          </p>
        </>
      )}
    </Panel>
  );
}
