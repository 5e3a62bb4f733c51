import { Empty, Id, Loaded, Time, useCall } from '../parts/basics.tsx';
import { CopyButton } from '../parts/code.tsx';
import { addressOf, Link } from '../platform/router.tsx';
import { useSession } from '../platform/session.tsx';

/** One-time codes as they are sent. */
export function Codes() {
  const { controlQuery } = useSession();
  const outbox = controlQuery.useQuery('get', '/outbox');
  const settings = controlQuery.useQuery('get', '/settings');
  const call = useCall('createCredential', { type: 'EMAIL_OTP', accountId: 'InternalAccount:…' });
  return (
    <>
      <header>
        <h1>Codes</h1>
        <span className="soft">One-time codes, newest first</span>
      </header>
      <Loaded query={outbox}>
        {({ data }) =>
          data.length > 0 ? (
            <ul className="plain panel" aria-label="Codes">
              {data.map(({ to, code, accountId, sentAt }) => (
                <li key={`${sentAt} ${accountId} ${code}`} className="line">
                  <span className="big">{code}</span>
                  <CopyButton text={code} label="Copy code" />
                  <span className="wrap">to {to}</span>
                  <Id value={accountId} />
                  <span className="end">
                    <Time value={sentAt} />
                  </span>
                </li>
              ))}
            </ul>
          ) : settings.data?.proofs === 'magic' ? (
            <Empty>
              This platform uses magic proofs: it sends no codes and expects <code>000000</code>. For real codes, make a
              platform with real proofs in <Link href={addressOf('control')}>Control</Link>.
            </Empty>
          ) : (
            <Empty call={call}>
              No codes yet. The sandbox sends one when you create or challenge an EMAIL_OTP credential:
            </Empty>
          )
        }
      </Loaded>
    </>
  );
}
