import { useMemo, useState } from 'react';
import type { JournalEntry } from '../../generated/controlTypes.ts';
import { useAct } from '../parts/act.tsx';
import { Empty, Status, useCall } from '../parts/basics.tsx';
import { describeRule } from '../parts/faultRule.ts';
import { saveFile } from '../parts/files.ts';
import { formatClock } from '../parts/format.ts';
import { LongList } from '../parts/list.tsx';
import { noOperation, titleOf } from '../parts/reached.ts';
import { RefusedCredentials } from '../parts/refusedCredentials.tsx';
import { useEntries } from '../platform/live.tsx';
import { addressOf, go, Link, usePlace } from '../platform/router.tsx';
import { useSession } from '../platform/session.tsx';

const statusGroups = ['2xx', '4xx', '5xx', 'dropped'] as const;

/** The app's requests and replies, live. */
export function Traffic() {
  const entries = useEntries();
  const { query } = usePlace();
  const { control } = useSession();
  const act = useAct();
  const [paused, setPaused] = useState<readonly JournalEntry[]>();
  const [operation, status, text] = ['operation', 'status', 'text'].map((name) => query.get(name) ?? '');
  const shown = paused ?? entries;
  const found = useMemo(
    () => shown.filter((entry) => fits(entry, { operation, status, text })),
    [shown, operation, status, text],
  );
  const known = useMemo(() => [...new Set(shown.map(({ operationId }) => operationId ?? noOperation))].sort(), [shown]);
  const filter = (name: string, value: string): void => {
    const next = Object.fromEntries(query);
    if (value === '') delete next[name];
    else next[name] = value;
    go(addressOf('traffic', undefined, next), { replace: true });
  };
  return (
    <>
      <header>
        <h1>Traffic</h1>
        <span className="soft count" role="status">
          {found.length} of {shown.length} exchanges
        </span>
        <div className="end">
          <Link className="button" href={addressOf('traffic', 'new', operation ? { operation } : {})}>
            New request
          </Link>
          <button
            type="button"
            aria-pressed={paused !== undefined}
            onClick={() => setPaused(paused ? undefined : entries)}
          >
            {paused ? 'Resume' : 'Pause'}
          </button>
          <button
            type="button"
            onClick={async () => {
              const { data } = await control.GET('/journal', { params: { query: { format: 'har' } } });
              if (data !== undefined) saveFile('countersign.har', JSON.stringify(data, null, 1));
            }}
          >
            Download HAR
          </button>
          <button type="button" onClick={() => act('The journal is cleared.', () => control.DELETE('/journal'))}>
            Clear
          </button>
        </div>
      </header>
      <div className="bar">
        <label>
          Operation
          <select value={operation} onChange={(event) => filter('operation', event.target.value)}>
            <option value="">all</option>
            {[...new Set([...known, ...(operation === '' || operation === undefined ? [] : [operation])])].map((id) => (
              <option key={id}>{id}</option>
            ))}
          </select>
        </label>
        <label>
          Status
          <select value={status} onChange={(event) => filter('status', event.target.value)}>
            <option value="">all</option>
            {statusGroups.map((group) => (
              <option key={group}>{group}</option>
            ))}
          </select>
        </label>
        <label className="grow">
          Customer, id or any text in the exchange
          <input type="search" value={text} onChange={(event) => filter('text', event.target.value)} />
        </label>
      </div>
      {found.length === 0 ? (
        <Nothing hasEntries={shown.length > 0} />
      ) : (
        <div className="traffic">
          <LongList
            label="Exchanges, newest first"
            items={found}
            keyOf={({ id }) => id}
            hrefOf={({ id }) => addressOf('traffic', id)}
            rowHeight={36}
            head={
              <>
                <span>Time (UTC)</span>
                <span>Status</span>
                <span>Operation</span>
                <span>Address</span>
                <span>ms</span>
              </>
            }
          >
            {(entry) => (
              <>
                <span className="mono">{formatClock(entry.startedAt)}</span>
                <span>
                  <Status value={entry.response.status} />
                </span>
                <span
                  title={entry.fault === undefined ? undefined : `A planted fault acted: ${describeRule(entry.fault)}`}
                >
                  {titleOf(entry)}
                  {entry.fault === undefined ? null : <span className="state waiting fault">fault</span>}
                </span>
                <span className="mono">
                  {entry.request.method} {pathOf(entry.request.url)}
                </span>
                <span className="count">{entry.durationMs}</span>
              </>
            )}
          </LongList>
        </div>
      )}
    </>
  );
}

/** Why the list is empty: nothing has come, or the filters leave nothing. */
function Nothing({ hasEntries }: { readonly hasEntries: boolean }) {
  const call = useCall('listCustomers');
  if (hasEntries) {
    const clear = (
      <Link className="button" href={addressOf('traffic')}>
        Show all exchanges
      </Link>
    );
    return <Empty call={clear}>No exchange matches the filters.</Empty>;
  }
  return (
    <>
      <RefusedCredentials isWaiting />
      <Empty call={call}>
        There are no requests of this platform yet. They appear here as they arrive. Send one with its credentials:
      </Empty>
    </>
  );
}

interface Filters {
  readonly operation: string | undefined;
  readonly status: string | undefined;
  readonly text: string | undefined;
}

function fits(entry: JournalEntry, { operation, status, text }: Filters): boolean {
  if (operation && (entry.operationId ?? noOperation) !== operation) return false;
  if (status && groupOf(entry.response.status) !== status) return false;
  return !text || JSON.stringify(entry).toLowerCase().includes(text.trim().toLowerCase());
}

function groupOf(status: number): string {
  return status === 0 ? 'dropped' : `${Math.floor(status / 100)}xx`;
}

/** The path below the base address, and the query. */
function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname.replace(/^\/\d{4}-\d{2}-\d{2}/, '') + search;
}
