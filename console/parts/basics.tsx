/** Small parts that every view uses. */
import type { ReactNode } from 'react';
import { operations } from '../../generated/operations.ts';
import { addressOf, Link } from '../platform/router.tsx';
import { useSession } from '../platform/session.tsx';
import { Boundary } from './boundary.tsx';
import { quote } from './callCode.ts';
import { Code } from './code.tsx';
import { formatAmount, formatTime, isId, words } from './format.ts';
import { messageOf } from './message.ts';

/** An id, linked to its page. */
export function Id({ value }: { readonly value: string }) {
  const [type = '', rest = ''] = value.split(':');
  return (
    <Link className="id" href={addressOf('find', value)} title={value}>
      {type}:<span>{rest.length > 12 ? `…${rest.slice(-12)}` : rest}</span>
    </Link>
  );
}

/** A text, or a link if it is an id. */
export function Value({ value }: { readonly value: string }) {
  return isId(value) ? <Id value={value} /> : value;
}

export function Amount(props: {
  readonly value: { readonly amount: number; readonly currency: { readonly code: string; readonly decimals: number } };
}) {
  const { amount, currency } = props.value;
  return <span className="amount">{formatAmount(amount, currency.code, currency.decimals)}</span>;
}

export function Time({ value }: { readonly value: string }) {
  return (
    <time dateTime={value} title={`${value} (UTC)`}>
      {formatTime(value)}
    </time>
  );
}

const moods: Readonly<Record<string, string>> = {
  COMPLETED: 'good',
  APPROVED: 'good',
  ACTIVE: 'good',
  MATCHED: 'good',
  VERIFIED: 'good',
  FAILED: 'bad',
  REJECTED: 'bad',
  EXPIRED: 'bad',
  CLOSED: 'bad',
  NOT_MATCHED: 'bad',
  PENDING_APPROVAL: 'waiting',
  PENDING: 'waiting',
  PROCESSING: 'waiting',
};

/** A state, as text and color. */
export function State({ value }: { readonly value: string | undefined }) {
  if (value === undefined) return null;
  return <span className={`state ${moods[value] ?? ''}`}>{words(value)}</span>;
}

/** An HTTP status. */
export function Status({ value }: { readonly value: number }) {
  const mood = value >= 500 || value === 0 ? 'bad' : value >= 400 ? 'waiting' : 'good';
  return <span className={`state ${mood}`}>{value === 0 ? 'dropped' : value}</span>;
}

/** Explains why there is no data, and how to create some. */
export function Empty({ children, call }: { readonly children: ReactNode; readonly call?: ReactNode }) {
  return (
    <div className="empty">
      <p>{children}</p>
      {call}
    </div>
  );
}

/**
 * How to send an operation, for an empty view: a command that works as it is, with the credentials of the person who
 * looks, or the form if no command reaches the sandbox.
 */
export function useCall(id: (typeof operations)[number]['id'], body?: object): ReactNode {
  const { baseUrl, credentials, isInPage } = useSession();
  if (isInPage) {
    return (
      <Link className="button" href={addressOf('traffic', 'new', { operation: id })}>
        New request: {id}
      </Link>
    );
  }
  const operation = operations.find((one) => one.id === id);
  const method = operation?.method === 'GET' ? '' : ` -X ${operation?.method}`;
  const json = body === undefined ? '' : ` \\\n  -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
  const text = `curl -u ${quote(`${credentials.clientId}:${credentials.clientSecret}`)}${method} ${baseUrl}${operation?.path}${json}`;
  return <Code text={text} label="Command" />;
}

/** Credentials for a command that may be passed on: public ones, or a placeholder. */
export function userOf({
  clientId,
  clientSecret,
}: {
  readonly clientId: string;
  readonly clientSecret: string;
}): string {
  return clientId === 'sandbox' && clientSecret === 'sandbox' ? 'sandbox:sandbox' : 'CLIENT_ID:CLIENT_SECRET';
}

/** Shows a query's data, or why it has none. */
export function Loaded<Data>(props: {
  readonly query: { readonly data: Data | undefined; readonly error: unknown; readonly isPending: boolean };
  readonly children: (data: NonNullable<Data>) => ReactNode;
}) {
  const { query, children } = props;
  if (query.data !== undefined && query.data !== null) return <>{children(query.data)}</>;
  if (query.error) return <Failure error={query.error} />;
  return <p className="soft">Loading…</p>;
}

export function Failure({ error }: { readonly error: unknown }) {
  return (
    <p role="alert" className="failure">
      {messageOf(error)}
    </p>
  );
}

/** Names with their values. */
export function Facts({ rows }: { readonly rows: readonly (readonly [name: string, value: ReactNode])[] }) {
  const shown = rows.filter(([, value]) => value !== undefined && value !== null && value !== '');
  return (
    <dl className="facts">
      {shown.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A part of a view. It can fail alone. */
export function Panel(props: {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  readonly id?: string;
}) {
  return (
    <section className="panel" aria-label={props.title} id={props.id}>
      <header>
        <h2>{props.title}</h2>
        {props.actions}
      </header>
      <Boundary what={props.title}>{props.children}</Boundary>
    </section>
  );
}
