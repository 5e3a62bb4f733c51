import { type FormEvent, useState } from 'react';
import { maskBody, maskHeader } from '../../contract/mask.ts';
import type { JournalEntry, JudgedExchange } from '../../generated/controlTypes.ts';
import { decisionTitles } from '../../generated/decisions.ts';
import type { OperationFacts } from '../../generated/operations.ts';
import { useAct } from '../parts/act.tsx';
import { Facts, Loaded, Panel, Status, Time, userOf } from '../parts/basics.tsx';
import { operationOf, ownHeaders, textOf, writeClientCall, writeCurl } from '../parts/callCode.ts';
import { Code } from '../parts/code.tsx';
import { useSuggestions } from '../parts/contract.ts';
import { describeRule } from '../parts/faultRule.ts';
import { Json } from '../parts/json.tsx';
import { noOperation, titleOf } from '../parts/reached.ts';
import { addressOf, Link } from '../platform/router.tsx';
import { useSession } from '../platform/session.tsx';

/** An exchange: the request, the reply, the kit's findings, and a form to send it again. */
export default function Exchange({ id }: { readonly id: string }) {
  const { controlQuery } = useSession();
  const query = controlQuery.useQuery('get', '/journal/{exchangeId}', { params: { path: { exchangeId: id } } });
  return (
    <>
      <header>
        <h1>Exchange {id}</h1>
        <div className="end">
          <Link className="button" href={addressOf('traffic')}>
            All exchanges
          </Link>
        </div>
      </header>
      <Loaded query={query}>{(exchange) => <Details exchange={exchange} />}</Loaded>
    </>
  );
}

function Details({ exchange }: { readonly exchange: JudgedExchange }) {
  const { credentials, isInPage } = useSession();
  const { request, response, findings, fault } = exchange;
  const { withheld } = response;
  const operation = operationOf(exchange);
  const isAgent = operation?.security === 'bearer';
  return (
    <>
      <Panel title={titleOf(exchange)}>
        <Facts
          rows={[
            ['Request', <span key="r" className="mono wrap">{`${request.method} ${request.url}`}</span>],
            [
              'Status',
              <span key="s" className="line">
                <Status value={response.status} />
                {response.status === 0 ? 'No reply: a fault rule broke the connection.' : null}
              </span>,
            ],
            ['Planted fault', fault === undefined ? undefined : describeRule(fault)],
            ['Time', <Time key="t" value={exchange.startedAt} />],
            ['Duration', `${exchange.durationMs} ms`],
            ['Decisions', operation === undefined ? undefined : <Decisions key="d" operation={operation} />],
            [
              'More',
              <span key="m" className="line">
                <Link href={addressOf('traffic', undefined, { operation: exchange.operationId ?? noOperation })}>
                  {exchange.operationId === undefined ? 'Exchanges of no operation' : 'Exchanges of this operation'}
                </Link>
                <a href="/reference/">Reference</a>
              </span>,
            ],
          ]}
        />
      </Panel>
      <Panel title="Findings">
        {exchange.operationId === undefined ? (
          <p className="soft">
            The contract has no such path, or not with this method. So there is nothing to compare the exchange with.
          </p>
        ) : findings.length === 0 ? (
          <p className="soft">
            This exchange matches the contract. A mistake that is refused as documented isn't a finding.
          </p>
        ) : (
          <ul className="plain">
            {findings.map((finding) => (
              <li key={`${finding.in}${finding.pointer}${finding.rule}`}>
                <strong>{finding.in}</strong> <span className="mono">{finding.pointer}</span> {finding.message}{' '}
                <span className="soft">
                  ({finding.rule}; {finding.basis}
                  {finding.decisions.map((one) => `, ${one.id} ${one.title}`).join('')})
                </span>
              </li>
            ))}
          </ul>
        )}
      </Panel>
      <div className="split two">
        <Panel title="Request">
          <Content {...request} label="Request body" />
        </Panel>
        <Panel title="Reply">
          {withheld === undefined ? null : (
            <p>
              The work was done, but the app didn't get this reply: <Status value={withheld.status} />
            </p>
          )}
          <Content {...(withheld ?? response)} label="Reply body" />
        </Panel>
      </div>
      <Panel title={isInPage ? 'As code' : 'As a command and as code'}>
        <p className="soft">Secrets are masked. Replace them with yours.</p>
        {isInPage ? null : <Code label="Command" text={writeCurl(request, userOf(credentials), isAgent)} />}
        {operation === undefined ? null : (
          <Code label="Call of the client" text={writeClientCall(request, operation)} />
        )}
      </Panel>
      <SendAgain exchange={exchange} isAgent={isAgent} />
    </>
  );
}

/** The decisions that the operation depends on where the interface is silent. */
function Decisions({ operation }: { readonly operation: OperationFacts }) {
  const { data } = useSuggestions(operation);
  return (data?.decisions ?? []).map((id) => `${id} ${decisionTitles[id] ?? ''}`).join(', ');
}

/** The headers and the body of a request or a reply. */
function Content(props: {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly label: string;
}) {
  const { headers, body, label } = props;
  return (
    <>
      <HeaderList headers={headers} />
      {body === undefined ? <p className="soft">No body.</p> : <Json value={body} label={label} />}
    </>
  );
}

function HeaderList({ headers }: { readonly headers: Readonly<Record<string, string>> }) {
  return (
    <details>
      <summary>{Object.keys(headers).length} headers</summary>
      <Facts
        rows={Object.entries(headers).map(([name, value]) => [
          name,
          <span key={name} className="mono">
            {value}
          </span>,
        ])}
      />
    </details>
  );
}

type Place = readonly (string | number)[];

/** The masked places in a body. Masking a body of marker values changes exactly these places. */
function findMasked(body: unknown): Place[] {
  const telltale = 'Zz9Zz9';
  const fill = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(fill);
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fill(one)]));
    }
    return typeof value === 'string' ? telltale : value;
  };
  const found: Place[] = [];
  const look = (masked: unknown, place: Place): void => {
    if (typeof masked === 'object' && masked !== null) {
      for (const [name, one] of Object.entries(masked))
        look(one, [...place, Array.isArray(masked) ? Number(name) : name]);
    } else if (typeof masked === 'string' && masked !== telltale) found.push(place);
  };
  look(maskBody(fill(body)), []);
  return found;
}

function withValue(body: unknown, place: Place, value: string): unknown {
  const [first, ...rest] = place;
  if (first === undefined) return value;
  if (Array.isArray(body)) return body.map((one, index) => (index === first ? withValue(one, rest, value) : one));
  return { ...(body as object), [first]: withValue((body as Record<string, unknown>)[first], rest, value) };
}

/** Sends the request again, as the signed-in platform. The user must type what the journal has masked. */
function SendAgain({ exchange, isAgent }: { readonly exchange: JournalEntry; readonly isAgent: boolean }) {
  const session = useSession();
  const act = useAct();
  const { request } = exchange;
  const [body, setBody] = useState(request.body === undefined ? '' : textOf(request.body));
  const [reply, setReply] = useState<{ readonly status: number; readonly body: unknown }>();
  const maskedPlaces = typeof request.body === 'object' ? findMasked(request.body) : [];
  const headers = ownHeaders(request);
  const masked = headers.filter(([name]) => maskHeader(name, 'Zz9Zz9') !== 'Zz9Zz9');
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const typed = (name: string): string => String(form.get(name) ?? '');
    let sent = body;
    if (maskedPlaces.length > 0) {
      try {
        const filled = maskedPlaces.reduce(
          (value, place) => (typed(place.join('/')) === '' ? value : withValue(value, place, typed(place.join('/')))),
          JSON.parse(body) as unknown,
        );
        sent = JSON.stringify(filled);
      } catch {
        act.say('The body is not JSON.');
        return;
      }
    }
    const all = new Headers(headers.map(([name, value]) => [name, typed(`header ${name}`) || value]));
    if (sent !== '') all.set('Content-Type', 'application/json');
    // To the sandbox of this session, whatever address the app used for it.
    const { pathname, search } = new URL(request.url);
    const init = { method: request.method, headers: all, ...(sent === '' ? {} : { body: sent }) };
    const asked = new Request(session.origin + pathname + search, init);
    if (isAgent) asked.headers.set('Authorization', `Bearer ${typed('accessToken')}`);
    try {
      const response = await (isAgent ? session.sendAs(asked) : session.send(asked));
      const text = await response.text();
      setReply({ status: response.status, body: text === '' ? undefined : parse(text) });
    } catch {
      act.say('The connection broke before a reply came.');
    }
  };
  return (
    <Panel title="Send again">
      <form onSubmit={(event) => void submit(event)}>
        <div className="bar">
          {isAgent ? (
            <label>
              Access token of the agent
              <input name="accessToken" required autoComplete="off" />
            </label>
          ) : null}
          {masked.map(([name]) => (
            <label key={name}>
              {name} (masked)
              <input name={`header ${name}`} autoComplete="off" />
            </label>
          ))}
          {maskedPlaces.map((place) => (
            <label key={place.join('/')}>
              {place.join('/')} (masked)
              <input name={place.join('/')} autoComplete="off" />
            </label>
          ))}
        </div>
        {body === '' ? null : (
          <label>
            Body
            <textarea value={body} onChange={(event) => setBody(event.target.value)} spellCheck={false} />
          </label>
        )}
        <p>
          <button type="submit" className="primary">
            Send {request.method}
          </button>
        </p>
      </form>
      {reply === undefined ? null : (
        <div role="status">
          <p>
            Answered with <Status value={reply.status} />
          </p>
          {reply.body === undefined ? null : <Json value={reply.body} label="New reply" />}
        </div>
      )}
    </Panel>
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
