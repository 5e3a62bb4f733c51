import { type FormEvent, useState } from 'react';
import { type OperationFacts, operations } from '../../generated/operations.ts';
import { useAct } from '../parts/act.tsx';
import { Loaded, Panel, Status } from '../parts/basics.tsx';
import { type Suggestions, useSuggestions } from '../parts/contract.ts';
import { Json } from '../parts/json.tsx';
import { addressOf, go, Link, usePlace } from '../platform/router.tsx';
import { useSession } from '../platform/session.tsx';

/** Accepted as the signature of any session while a platform checks magic proofs. */
const magicSignature = 'sandbox-valid-signature';

/** Sends any operation of the interface. The contract's examples are suggested. */
export default function Compose() {
  const { query } = usePlace();
  const operation: OperationFacts =
    operations.find(({ id }) => id === query.get('operation')) ??
    (operations.find(({ id }) => id === 'createCustomer') as OperationFacts);
  return (
    <>
      <header>
        <h1>New request</h1>
        <div className="end">
          <Link className="button" href={addressOf('traffic', undefined, { operation: operation.id })}>
            Exchanges of this operation
          </Link>
        </div>
      </header>
      <div className="bar">
        <label>
          Operation
          <select
            value={operation.id}
            onChange={(event) => go(addressOf('traffic', 'new', { operation: event.target.value }), { replace: true })}
          >
            {operations.map(({ id }) => (
              <option key={id}>{id}</option>
            ))}
          </select>
        </label>
      </div>
      <Suggested key={operation.id} operation={operation} />
    </>
  );
}

function Suggested({ operation }: { readonly operation: OperationFacts }) {
  const query = useSuggestions(operation);
  return (
    <Loaded query={query}>{(suggestions) => <RequestForm operation={operation} suggestions={suggestions} />}</Loaded>
  );
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

function RequestForm(props: { readonly operation: OperationFacts; readonly suggestions: Suggestions }) {
  const { operation, suggestions } = props;
  const { parameters, bodies, summary } = suggestions;
  const session = useSession();
  const act = useAct();
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [body, setBody] = useState(bodies[0]?.text ?? '');
  const [accessToken, setAccessToken] = useState('');
  const [answer, setAnswer] = useState<Answer>();
  const isAgent = operation.security === 'bearer';

  const send = async (given: Readonly<Record<string, string>>): Promise<void> => {
    const valuesIn = (place: string) =>
      parameters.flatMap(({ name, in: at }) => (at === place && given[name] ? [[name, given[name]] as const] : []));
    const path = valuesIn('path').reduce(
      (text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(value).replaceAll('%3A', ':')),
      operation.path,
    );
    const search = new URLSearchParams(valuesIn('query').map(([name, value]) => [name, value])).toString();
    const headers = new Headers(valuesIn('header').map(([name, value]) => [name, value]));
    const hasBody = operation.body !== 'none' && body.trim() !== '';
    if (hasBody) headers.set('Content-Type', 'application/json');
    if (isAgent) headers.set('Authorization', `Bearer ${accessToken}`);
    try {
      const init = { method: operation.method, headers, ...(hasBody ? { body } : {}) };
      const request = new Request(`${session.baseUrl}${path}${search === '' ? '' : `?${search}`}`, init);
      const response = await (operation.security === 'basic' ? session.send(request) : session.sendAs(request));
      const text = await response.text();
      setAnswer({ status: response.status, body: text === '' ? undefined : JSON.parse(text) });
    } catch {
      act.say("The request failed: a value can't be sent, or the connection broke.");
    }
  };
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    void send(values);
  };
  const requestId = answer?.status === 202 ? (answer.body as { requestId?: string }).requestId : undefined;
  const sign = (): void => {
    const signed = { ...values, 'Service-Wallet-Signature': magicSignature, 'Request-Id': requestId ?? '' };
    setValues(signed);
    void send(signed);
  };

  return (
    <Panel title={`${operation.method} ${operation.path}`}>
      <p className="soft">{summary}</p>
      <form onSubmit={submit}>
        <div className="bar">
          {isAgent ? (
            <label>
              Access token of the agent
              <input
                required
                autoComplete="off"
                value={accessToken}
                onChange={(event) => setAccessToken(event.target.value)}
              />
            </label>
          ) : null}
          {parameters.map(({ name, in: place, isRequired, description, example }) => (
            <label key={`${place} ${name}`} title={description}>
              {name} ({place})
              <input
                required={isRequired}
                placeholder={example}
                value={values[name] ?? ''}
                onChange={(event) => setValues({ ...values, [name]: event.target.value.trim() })}
              />
            </label>
          ))}
        </div>
        {operation.body === 'none' ? null : (
          <>
            {bodies.length > 1 ? (
              <label>
                Example
                <select onChange={(event) => setBody(bodies[Number(event.target.value)]?.text ?? '')}>
                  {bodies.map((example, index) => (
                    <option key={example.name} value={index}>
                      {example.summary}
                    </option>
                  ))}
                </select>
              </label>
            ) : null}
            <label>
              Body
              <textarea rows={12} value={body} onChange={(event) => setBody(event.target.value)} spellCheck={false} />
            </label>
          </>
        )}
        <p>
          <button type="submit" className="primary">
            Send {operation.method}
          </button>
        </p>
      </form>
      {answer === undefined ? null : (
        <div role="status">
          <p>
            Answered with <Status value={answer.status} />
          </p>
          {requestId === undefined ? null : (
            <p>
              The request needs a signature.{' '}
              <button type="button" onClick={sign}>
                Send with the magic signature
              </button>
            </p>
          )}
          {answer.body === undefined ? null : <Json value={answer.body} label="Reply" />}
        </div>
      )}
    </Panel>
  );
}
