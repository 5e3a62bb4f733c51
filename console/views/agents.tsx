import { Meter } from '@base-ui/react/meter';
import { type FormEvent, useState } from 'react';
import type { Agent, AgentAction } from '../../generated/types.ts';
import { useAct } from '../parts/act.tsx';
import { Empty, Facts, Id, Loaded, Panel, Time, useCall } from '../parts/basics.tsx';
import { CopyButton } from '../parts/code.tsx';
import { formatAmount, words } from '../parts/format.ts';
import { addressOf, Link } from '../platform/router.tsx';
import { useSession } from '../platform/session.tsx';

/** Agents with their policies and limits, and the actions that wait for approval. */
export function Agents({ id }: { readonly id: string | undefined }) {
  const { serviceQuery } = useSession();
  const agents = serviceQuery.useQuery(
    'get',
    '/agents',
    { params: { query: { limit: 100 } } },
    { enabled: id === undefined },
  );
  const one = serviceQuery.useQuery(
    'get',
    '/agents/{agentId}',
    { params: { path: { agentId: id ?? 'none' } } },
    { enabled: id !== undefined },
  );
  const call = useCall('createAgent', {
    name: 'Bill payer',
    customerId: 'Customer:…',
    policy: { permissions: ['CREATE_TRANSFERS'], spendingLimits: { currency: 'USD', perTransactionLimit: 50_000 } },
  });
  return (
    <>
      <header>
        <h1>Agents</h1>
        {id === undefined ? null : (
          <div className="end">
            <Link className="button" href={addressOf('agents')}>
              All agents
            </Link>
          </div>
        )}
      </header>
      <Waiting agentId={id} />
      {id === undefined ? (
        <Loaded query={agents}>
          {({ data }) =>
            data.length === 0 ? (
              <Empty call={call}>There are no agents yet. To create one:</Empty>
            ) : (
              <div className="grid">
                {data.map((agent) => (
                  <AgentPanel key={agent.id} agent={agent} />
                ))}
              </div>
            )
          }
        </Loaded>
      ) : (
        <Loaded query={one}>{(agent) => <AgentPanel agent={agent} />}</Loaded>
      )}
    </>
  );
}

function Waiting({ agentId }: { readonly agentId: string | undefined }) {
  const { serviceQuery } = useSession();
  const query = { limit: 100, ...(agentId === undefined ? {} : { agentId }) };
  const approvals = serviceQuery.useQuery('get', '/agents/approvals', { params: { query } });
  return (
    <Panel title="Pending approvals">
      <Loaded query={approvals}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="soft">
              No action is pending. An action needs approval if it exceeds what the agent's policy allows it to do
              alone.
            </p>
          ) : (
            <ul className="plain" aria-label="Pending approvals">
              {data.map((action) => (
                <WaitingAction key={action.id} action={action} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}

function WaitingAction({ action }: { readonly action: AgentAction }) {
  const { service } = useSession();
  const act = useAct();
  const params = { path: { agentId: action.agentId, actionId: action.id } };
  const reject = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const reason = String(new FormData(event.currentTarget).get('reason')).trim();
    void act('The action was rejected.', () =>
      service.POST('/agents/{agentId}/actions/{actionId}/reject', { params, body: reason === '' ? {} : { reason } }),
    );
  };
  return (
    <li>
      <div className="line">
        <strong>{words(action.type)}</strong>
        <span>{sumOf(action)}</span>
        <Id value={action.agentId} />
        <Id value={action.customerId} />
        <span className="end">
          <Time value={action.createdAt} />
        </span>
      </div>
      <form className="inline" onSubmit={reject}>
        <button
          type="button"
          className="primary"
          onClick={() =>
            act('The action was approved.', () =>
              service.POST('/agents/{agentId}/actions/{actionId}/approve', { params }),
            )
          }
        >
          Approve
        </button>
        <label>
          Reason
          <input name="reason" maxLength={500} />
        </label>
        <button type="submit" className="danger">
          Reject
        </button>
      </form>
    </li>
  );
}

/** @returns an empty text for a type of action that the console doesn't know */
function sumOf(action: AgentAction): string {
  if ('quote' in action) {
    const { totalSendingAmount, sendingCurrency } = action.quote;
    return formatAmount(totalSendingAmount, sendingCurrency.code, sendingCurrency.decimals);
  }
  if (!('transferDetails' in action)) return '';
  return formatAmount(action.transferDetails.amount, action.transferDetails.currency);
}

function AgentPanel({ agent }: { readonly agent: Agent }) {
  const { service } = useSession();
  const act = useAct();
  const [code, setCode] = useState<string>();
  const { policy, usage } = agent;
  const { spendingLimits: limits } = policy;
  const params = { path: { agentId: agent.id } };
  return (
    <Panel
      title={agent.name}
      actions={
        <button
          type="button"
          className="small"
          onClick={() =>
            act(agent.isPaused ? 'The agent is resumed.' : 'The agent is paused.', () =>
              service.PATCH('/agents/{agentId}', { params, body: { isPaused: !agent.isPaused } }),
            )
          }
        >
          {agent.isPaused ? 'Resume' : 'Pause'}
        </button>
      }
    >
      <Facts
        rows={[
          ['Agent', <Id key="a" value={agent.id} />],
          ['Customer', <Id key="c" value={agent.customerId} />],
          ['State', `${agent.isConnected ? 'connected' : 'not connected'}${agent.isPaused ? ', paused' : ''}`],
        ]}
      />
      <h3>Policy</h3>
      <ul className="plain">
        {describePolicy(agent).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
        {policy.accountRestrictions?.allowedAccountIds?.map((account) => (
          <li key={account}>
            It may use <Id value={account} />
          </li>
        ))}
      </ul>
      <h3>Usage</h3>
      <Usage label="Spent today" value={usage.dailySpend} limit={limits.dailyLimit} currency={limits.currency} />
      <Usage
        label="Spent this month"
        value={usage.monthlySpend}
        limit={limits.monthlyLimit}
        currency={limits.currency}
      />
      <Usage label="Transactions today" value={usage.dailyTransactionCount} limit={limits.dailyTransactionLimit} />
      <div className="bar">
        <button
          type="button"
          onClick={async () => {
            const made = await act('The device code is created. It can be redeemed once.', () =>
              service.POST('/agents/{agentId}/device-codes', { params }),
            );
            setCode(made?.data?.code);
          }}
        >
          New device code
        </button>
        {code === undefined ? null : (
          <>
            <span className="big">{code}</span>
            <CopyButton text={code} />
          </>
        )}
      </div>
    </Panel>
  );
}

/** A policy in sentences. */
function describePolicy({ policy }: Agent): string[] {
  const { permissions, defaultExecutionMode, spendingLimits: limits, approvalThresholds, accountRestrictions } = policy;
  const rules = accountRestrictions?.accountRules ?? [];
  return [
    permissions.length === 0 ? 'It has no permissions.' : `It may ${permissions.map(words).join(', ')}.`,
    `One payment is at most ${formatAmount(limits.perTransactionLimit, limits.currency)}.`,
    defaultExecutionMode === 'APPROVAL_REQUIRED'
      ? 'Every action needs approval.'
      : approvalThresholds === undefined
        ? 'No action needs approval.'
        : `Above ${formatAmount(approvalThresholds.amount, approvalThresholds.currency)} an action needs approval.`,
    ...rules.flatMap(({ accountId, perTransactionLimit, executionMode }) => [
      ...(perTransactionLimit === undefined
        ? []
        : [`For ${accountId}, one payment is at most ${formatAmount(perTransactionLimit, limits.currency)}.`]),
      ...(executionMode === undefined
        ? []
        : [`For ${accountId}, ${executionMode === 'AUTO' ? 'no action needs' : 'every action needs'} approval.`]),
    ]),
  ];
}

/** Shows how much of a limit is used. */
function Usage(props: {
  readonly label: string;
  readonly value: number;
  readonly limit: number | undefined;
  readonly currency?: string;
}) {
  const { label, value, limit, currency } = props;
  const write = (amount: number): string => (currency === undefined ? String(amount) : formatAmount(amount, currency));
  if (limit === undefined) {
    return (
      <p className="soft">
        {label}: {write(value)}, without a limit
      </p>
    );
  }
  return (
    <Meter.Root
      value={Math.min(value, limit)}
      max={Math.max(limit, 1)}
      className="meter"
      getAriaValueText={() => `${write(value)} of ${write(limit)}`}
    >
      <Meter.Label className="line">
        {label}
        <span className="end amount">
          {write(value)} of {write(limit)}
        </span>
      </Meter.Label>
      <Meter.Track className="meter-track">
        <Meter.Indicator className="meter-fill" />
      </Meter.Track>
    </Meter.Root>
  );
}
