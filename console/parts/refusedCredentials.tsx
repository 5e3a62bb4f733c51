import type { RefusedCaller } from '../../generated/controlTypes.ts';
import { useSession } from '../platform/session.tsx';
import { Time } from './basics.tsx';

const askEveryMs = 3000;
const shown = 5;

/**
 * The requests that belong to no platform, because of their credentials. Nothing is shown to a person who isn't the
 * operator of the sandbox.
 * @param isWaiting whether nothing else happens: no event tells of such a request, so it's asked for again and again
 */
export function RefusedCredentials({ isWaiting }: { readonly isWaiting: boolean }) {
  const { controlQuery } = useSession();
  const query = controlQuery.useQuery(
    'get',
    '/refused-credentials',
    {},
    { refetchInterval: ({ state }) => (isWaiting && state.error === null ? askEveryMs : false) },
  );
  const { data = [], others = 0 } = query.data ?? {};
  const [latest] = data;
  if (latest === undefined) return null;
  const count = data.reduce((sum, one) => sum + one.count, others);
  return (
    <div role="status" className="failure notice">
      <details open={isWaiting}>
        <summary>
          <strong>
            {count} {count === 1 ? 'request' : 'requests'} with refused credentials
          </strong>
          , last at <Time value={latest.lastAt} />: <span className="mono">{addressIn(latest)}</span>
        </summary>
        <p>They are in no platform's traffic. The times are of this machine's clock.</p>
        <ul className="plain">
          {data.slice(0, shown).map((caller) => (
            <li key={`${caller.clientId} ${caller.reason} ${caller.last.status}`}>
              {caller.count} ×{' '}
              {caller.clientId === undefined ? null : <span className="mono">{caller.clientId}: </span>}
              {caller.message} Last at <Time value={caller.lastAt} />: <span className="mono">{addressIn(caller)}</span>{' '}
              {caller.last.status}
            </li>
          ))}
        </ul>
      </details>
    </div>
  );
}

function addressIn({ last }: RefusedCaller): string {
  return `${last.method} ${last.path}`;
}
