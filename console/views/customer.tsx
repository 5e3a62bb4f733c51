import { useEffect } from 'react';
import { accountTypes } from '../../generated/accountTypes.ts';
import type { ExternalAccount, InternalAccount } from '../../generated/types.ts';
import { beneficiaryChecks, quoteOutcomes, transferOutcomes } from '../../mocks/sandbox/payments/outcomes.ts';
import { outcomeSuffix } from '../../mocks/sandbox/tools/suffix.ts';
import { useAct } from '../parts/act.tsx';
import { Amount, Facts, Id, Loaded, Panel, State, Time, Value } from '../parts/basics.tsx';
import { parseAmount, words } from '../parts/format.ts';
import { Json } from '../parts/json.tsx';
import { addressOf, Link } from '../platform/router.tsx';
import { useSession } from '../platform/session.tsx';
import { nameOf } from './customers.tsx';
import { TransactionRows } from './transactionRows.tsx';

/** A customer with all its data. */
export default function Customer({ id }: { readonly id: string }) {
  const { serviceQuery } = useSession();
  const customer = serviceQuery.useQuery('get', '/customers/{customerId}', { params: { path: { customerId: id } } });
  const ofIt = { params: { query: { customerId: id, limit: 100 } } } as const;
  const accounts = serviceQuery.useQuery('get', '/customers/internal-accounts', ofIt);
  const banks = serviceQuery.useQuery('get', '/customers/external-accounts', ofIt);
  const agents = serviceQuery.useQuery('get', '/agents', ofIt);
  const transactions = serviceQuery.useQuery('get', '/transactions', ofIt);
  const isBusiness = customer.data?.customerType === 'BUSINESS';
  useScrollToHash(accounts.data !== undefined && banks.data !== undefined);
  return (
    <>
      <header>
        <h1 className="wrap">{customer.data === undefined ? 'Customer' : nameOf(customer.data)}</h1>
        <div className="end">
          <Link className="button" href={addressOf('traffic', undefined, { text: id })}>
            Traffic of this customer
          </Link>
          <Link className="button" href={addressOf('customers')}>
            All customers
          </Link>
        </div>
      </header>
      <Loaded query={customer}>
        {(data) => (
          <div className="grid">
            <Panel title="Customer">
              <Facts
                rows={[
                  [
                    'Id',
                    <span key="i" className="mono">
                      {data.id}
                    </span>,
                  ],
                  ['Type', words(data.customerType)],
                  [
                    'Verified',
                    <State key="s" value={data.customerType === 'BUSINESS' ? data.kybStatus : data.kycStatus} />,
                  ],
                  ['Platform id', data.platformCustomerId],
                  ['E-mail', data.email],
                  ['UMA address', data.umaAddress],
                  ['Region', data.region],
                  ['Currencies', data.currencies.join(', ')],
                  ['Created', <Time key="c" value={data.createdAt} />],
                  ['Deleted', data.isDeleted ? 'yes' : undefined],
                ]}
              />
              <details>
                <summary>Every field</summary>
                <Json value={data} label="Customer as JSON" />
              </details>
            </Panel>
            <Panel title="Accounts">
              <Loaded query={accounts}>
                {({ data: list }) =>
                  list.length === 0 ? (
                    <p className="soft">No accounts. A customer has one for each of its currencies.</p>
                  ) : (
                    <ul className="plain">
                      {list.map((account) => (
                        <Account key={account.id} account={account} />
                      ))}
                    </ul>
                  )
                }
              </Loaded>
            </Panel>
            <Panel title="External accounts">
              <Loaded query={banks}>
                {({ data: list }) =>
                  list.length === 0 ? (
                    <p className="soft">No external accounts.</p>
                  ) : (
                    <ul className="plain">
                      {list.map((account) => (
                        <Bank key={account.id} account={account} />
                      ))}
                    </ul>
                  )
                }
              </Loaded>
            </Panel>
            <Panel title="Agents">
              <Loaded query={agents}>
                {({ data: list }) =>
                  list.length === 0 ? (
                    <p className="soft">No agents.</p>
                  ) : (
                    <ul className="plain">
                      {list.map((agent) => (
                        <li key={agent.id} className="line">
                          <span className="wrap">{agent.name}</span> <Id value={agent.id} />
                        </li>
                      ))}
                    </ul>
                  )
                }
              </Loaded>
            </Panel>
            {isBusiness ? <Checks customerId={id} /> : null}
          </div>
        )}
      </Loaded>
      <Panel title="Transactions">
        <Loaded query={transactions}>{({ data: list }) => <TransactionRows transactions={list} />}</Loaded>
      </Panel>
    </>
  );
}

/** Scrolls to the part that the address names, once it is loaded. */
function useScrollToHash(isThere: boolean): void {
  useEffect(() => {
    if (!isThere) return;
    const element = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    element?.scrollIntoView({ block: 'center' });
  }, [isThere]);
}

function Account({ account }: { readonly account: InternalAccount }) {
  const { service } = useSession();
  const act = useAct();
  const { code } = account.balance.currency;
  return (
    <li id={account.id}>
      <div className="line">
        <strong>{code}</strong>
        <span>{words(account.type)}</span>
        <State value={account.status} />
        <span className="end">
          <Amount value={account.balance} />
        </span>
      </div>
      <div className="soft mono wrap">{account.id}</div>
      {account.type === 'EMBEDDED_WALLET' ? <Wallet accountId={account.id} /> : null}
      <form
        className="inline"
        onSubmit={(event) => {
          event.preventDefault();
          const amount = parseAmount(String(new FormData(event.currentTarget).get('amount')), code);
          if (amount === undefined) {
            act.say(`That isn't an amount in ${code}.`);
            return;
          }
          const params = { path: { accountId: account.id } };
          void act('The account was funded.', () =>
            service.POST('/sandbox/internal-accounts/{accountId}/fund', { params, body: { amount } }),
          );
        }}
      >
        <label>
          Fund with {code}
          <input name="amount" inputMode="decimal" size={10} placeholder="10.00" required />
        </label>
        <button type="submit">Fund</button>
      </form>
    </li>
  );
}

/** The credentials and sessions of a wallet. */
function Wallet({ accountId }: { readonly accountId: string }) {
  const { serviceQuery } = useSession();
  const params = { query: { accountId } };
  const credentials = serviceQuery.useQuery('get', '/auth/credentials', { params });
  const sessions = serviceQuery.useQuery('get', '/auth/sessions', { params });
  return (
    <>
      <h3>Credentials and live sessions</h3>
      <Loaded query={credentials}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="soft">No credentials: nobody can sign in to this wallet yet.</p>
          ) : (
            <ul className="plain">
              {data.map(({ id, type, nickname }) => (
                <li key={id} className="line">
                  <span>{words(type)}</span>
                  <span className="wrap">{nickname}</span>
                  <Id value={id} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <Loaded query={sessions}>
        {({ data }) => (
          <ul className="plain">
            {data.map(({ id, type, expiresAt }) => (
              <li key={id} className="line">
                <span>session by {words(type)}</span>
                <Id value={id} />
                <span className="soft">
                  until <Time value={expiresAt} />
                </span>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </>
  );
}

function Bank({ account }: { readonly account: ExternalAccount }) {
  const { accountInfo } = account;
  const info = accountInfo as unknown as Readonly<Record<string, unknown>>;
  const field = accountTypes[accountInfo.accountType]?.identifiers.find((name) => typeof info[name] === 'string');
  const suffix = field === undefined ? undefined : outcomeSuffix(String(info[field]));
  return (
    <li id={account.id}>
      <div className="line">
        <strong>{account.currency}</strong>
        <span>{words(accountInfo.accountType)}</span>
        <State value={account.status} />
        <State value={account.beneficiaryVerificationStatus} />
      </div>
      <div className="soft mono wrap">{account.id}</div>
      {field === undefined || suffix === undefined ? null : (
        <p className="wrap">
          <span className="mono">
            {field} {String(info[field])}
          </span>
          : {explainSuffix(suffix)}
        </p>
      )}
      <details>
        <summary>Account details</summary>
        <Json value={account} label="External account as JSON" />
      </details>
    </li>
  );
}

/** The outcome that the last three characters of an account's identifier select. */
function explainSuffix(suffix: string): string {
  const quote = quoteOutcomes[suffix];
  const transfer = transferOutcomes[suffix];
  const check = beneficiaryChecks[suffix];
  const sentences = [
    quote === undefined ? undefined : `a quote to it is ${describe(quote)}`,
    transfer === undefined ? undefined : `a transfer to it is ${describe(transfer)}`,
    check === undefined ? undefined : `the check of the beneficiary's name says ${words(check)}`,
  ].filter((one) => one !== undefined);
  return sentences.length === 0
    ? `${suffix} selects no special outcome, so payments to it complete`
    : `${suffix} means that ${sentences.join('; ')}`;
}

function describe(outcome: (typeof quoteOutcomes)[string]): string {
  const why = outcome.failureReason === undefined ? '' : ` (${words(outcome.failureReason)})`;
  const later =
    outcome.later === undefined
      ? ''
      : `, and ${laterWords[outcome.later.pending]} after ${outcome.later.afterMs / 1000} s`;
  return `${words(outcome.status)}${why}${later}`;
}

const laterWords = { COMPLETE: 'completes', RETURN: 'comes back', TIME_OUT: 'times out' } as const;

/** The verifications of a business. */
function Checks({ customerId }: { readonly customerId: string }) {
  const { serviceQuery } = useSession();
  const params = { query: { customerId, limit: 100 } };
  const verifications = serviceQuery.useQuery('get', '/verifications', { params });
  const owners = serviceQuery.useQuery('get', '/beneficial-owners', { params });
  return (
    <Panel title="Verifications and owners">
      <Loaded query={verifications}>
        {({ data }) => (
          <ul className="plain">
            {data.map(({ id, verificationStatus, createdAt }) => (
              <li key={id} id={id} className="line">
                <State value={verificationStatus} />
                <Time value={createdAt} />
                <Id value={id} />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <Loaded query={owners}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="soft">No beneficial owners.</p>
          ) : (
            <ul className="plain">
              {data.map(({ id, personalInfo, roles, kycStatus }) => (
                <li key={id} id={id} className="line">
                  <Value value={`${personalInfo.firstName} ${personalInfo.lastName}`} />
                  <span className="soft">{roles.map(words).join(', ')}</span>
                  <State value={kycStatus} />
                  <Id value={id} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}
