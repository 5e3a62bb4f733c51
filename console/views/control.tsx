import { type FormEvent, useState } from 'react';
import type { BasicCredentials } from '../../generated/client.ts';
import type { FaultRule, Faults, Snapshot } from '../../generated/controlTypes.ts';
import { operations } from '../../generated/operations.ts';
import { useAct } from '../parts/act.tsx';
import { Facts, Id, Loaded, Panel, Time } from '../parts/basics.tsx';
import { ClockButtons } from '../parts/clockButtons.tsx';
import { Code } from '../parts/code.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { describeRule } from '../parts/faultRule.ts';
import { saveFile } from '../parts/files.ts';
import { formatTime } from '../parts/format.ts';
import { usePlatformClock } from '../platform/clock.ts';
import { useSession } from '../platform/session.tsx';

/** Steers the platform: its clock, its state, its planted faults, its settings. */
export default function Control({ onSwitch }: { readonly onSwitch: (credentials: BasicCredentials) => void }) {
  return (
    <>
      <header>
        <h1>Control</h1>
      </header>
      <div className="grid">
        <Clock />
        <State />
      </div>
      <FaultForm />
      <div className="grid">
        <Settings />
        <Platforms onSwitch={onSwitch} />
        <Tokens />
      </div>
    </>
  );
}

function Clock() {
  const { control } = useSession();
  const { query, now } = usePlatformClock();
  const act = useAct();
  const set = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const typed = String(new FormData(event.currentTarget).get('at'));
    void act('The clock was set.', () =>
      control.POST('/clock', { body: { set: `${typed}${typed.length === 16 ? ':00' : ''}Z` } }),
    );
  };
  return (
    <Panel title="Clock">
      <Loaded query={query}>
        {({ now: read, frozen }) => (
          <p className="mono">
            {formatTime(new Date(now ?? read).toISOString())} UTC{frozen ? ' (frozen)' : ''}
          </p>
        )}
      </Loaded>
      <ClockButtons />
      <form className="inline" onSubmit={set}>
        <label>
          Move to (UTC)
          <input name="at" type="datetime-local" step="1" required />
        </label>
        <button type="submit">Set</button>
      </form>
      <p className="soft">A clock can't go back. To start over, reset the platform.</p>
    </Panel>
  );
}

function State() {
  const { control } = useSession();
  const act = useAct();
  const restore = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    let snapshot: unknown;
    try {
      snapshot = JSON.parse(await file.text());
    } catch {
      act.say(`${file.name} is not JSON. Choose a snapshot file.`);
      return;
    }
    await act('The snapshot is restored.', () => control.PUT('/snapshot', { body: snapshot as Snapshot }));
  };
  return (
    <Panel title="State">
      <div className="bar">
        <button
          type="button"
          onClick={async () => {
            // As text, because it must be restored unchanged.
            const { data } = await control.GET('/snapshot', { parseAs: 'text' });
            if (data !== undefined) saveFile('countersign-snapshot.json', data as unknown as string);
          }}
        >
          Download snapshot
        </button>
        <label>
          Restore a snapshot
          <input
            type="file"
            accept="application/json,.json"
            onChange={(event) => {
              const { files } = event.target;
              void restore(files?.[0]).then(() => {
                event.target.value = '';
              });
            }}
          />
        </label>
      </div>
      <Confirm
        label="Reset"
        title="Reset the platform?"
        text="The platform goes back to its initial world, settings and clock. Everything else is deleted."
        onConfirm={() => act('The platform is reset.', () => control.POST('/reset'))}
      />
    </Panel>
  );
}

const kinds = ['refuse', 'drop before', 'drop after', 'delay'] as const;

/** The planted faults, and how often each still applies. */
function FaultForm() {
  const { control, controlQuery } = useSession();
  const act = useAct();
  const query = controlQuery.useQuery('get', '/faults');
  const [kind, setKind] = useState<(typeof kinds)[number]>('refuse');
  const replace = (faults: Faults, done: string) => act(done, () => control.PUT('/faults', { body: faults }));
  const plant = (event: FormEvent<HTMLFormElement>, faults: Faults): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const number = (name: string): number | undefined => {
      const text = String(form.get(name) ?? '').trim();
      return text === '' ? undefined : Number(text);
    };
    const [status, delayMs, times] = ['status', 'delayMs', 'times'].map(number);
    const rule: FaultRule = {
      operation: String(form.get('operation')),
      ...(kind === 'refuse' && status !== undefined ? { status } : {}),
      ...(kind === 'drop before' ? { drop: 'before' } : {}),
      ...(kind === 'drop after' ? { drop: 'after' } : {}),
      ...(delayMs === undefined ? {} : { delayMs }),
      ...(times === undefined ? {} : { times }),
    };
    void replace({ ...faults, rules: [...(faults.rules ?? []), rule] }, 'The fault is planted.');
  };
  return (
    <Panel
      title="Faults"
      actions={
        <button
          type="button"
          className="small"
          onClick={() => act('All faults are removed.', () => control.DELETE('/faults'))}
        >
          Remove all
        </button>
      }
    >
      <Loaded query={query}>
        {(faults) => (
          <>
            {(faults.rules ?? []).length === 0 ? (
              <p className="soft">
                No fault is planted. If you plant several, the first one that matches a request acts.
              </p>
            ) : (
              <ul className="plain" aria-label="Planted faults">
                {(faults.rules ?? []).map((rule, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: rules have no names, and two may be alike
                  <li key={index} className="line">
                    <strong>{rule.operation}</strong>
                    <span>{describeRule(rule)}</span>
                    <span className="soft">{rule.times === undefined ? 'always' : `${rule.times} left`}</span>
                    <button
                      type="button"
                      className="small end"
                      onClick={() =>
                        replace(
                          { ...faults, rules: (faults.rules ?? []).filter((_one, at) => at !== index) },
                          'The fault is removed.',
                        )
                      }
                    >
                      Remove
                    </button>
                  </li>
                ))}
              </ul>
            )}
            <form className="rule" onSubmit={(event) => plant(event, faults)} aria-label="Plant a fault">
              <label>
                Operation
                <select name="operation">
                  <option value="*">every operation</option>
                  {operations.map(({ id }) => (
                    <option key={id}>{id}</option>
                  ))}
                </select>
              </label>
              <label>
                What happens
                <select value={kind} onChange={(event) => setKind(event.target.value as typeof kind)}>
                  {kinds.map((one) => (
                    <option key={one}>{one}</option>
                  ))}
                </select>
              </label>
              {kind === 'refuse' ? (
                <label>
                  Status
                  <input name="status" type="number" min={400} max={599} defaultValue={503} required />
                </label>
              ) : null}
              <label>
                Delay in ms
                <input name="delayMs" type="number" min={1} max={60_000} required={kind === 'delay'} />
              </label>
              <label>
                Times
                <input name="times" type="number" min={1} max={1_000_000} defaultValue={1} />
              </label>
              <button type="submit" className="primary">
                Plant
              </button>
            </form>
          </>
        )}
      </Loaded>
    </Panel>
  );
}

const lists = ['origins', 'rpIds', 'topOrigins', 'audiences'] as const;

/** The settings that real proofs are checked against. */
function Settings() {
  const { control, controlQuery } = useSession();
  const act = useAct();
  const query = controlQuery.useQuery('get', '/settings');
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const lines = (name: string): string[] =>
      String(form.get(name))
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '');
    const [origins, rpIds, topOrigins, audiences] = lists.map(lines);
    const proofs = form.get('proofs') === 'real' ? 'real' : 'magic';
    void act('The settings are saved.', () =>
      control.PUT('/settings', {
        body: {
          proofs,
          origins: origins ?? [],
          rpIds: rpIds ?? [],
          topOrigins: topOrigins ?? [],
          audiences: audiences ?? [],
        },
      }),
    );
  };
  return (
    <Panel title="Settings">
      <Loaded query={query}>
        {(settings) => (
          // Rendered again when another client changes the settings.
          <form key={JSON.stringify(settings)} onSubmit={submit}>
            <label>
              Proofs
              <select name="proofs" defaultValue={settings.proofs}>
                <option>magic</option>
                <option>real</option>
              </select>
            </label>
            {lists.map((name) => (
              <label key={name}>
                {name}, one a line
                <textarea name={name} rows={2} defaultValue={settings[name].join('\n')} spellCheck={false} />
              </label>
            ))}
            <p>
              <button type="submit">Save</button>
            </p>
          </form>
        )}
      </Loaded>
    </Panel>
  );
}

/** Creates a platform, if the sandbox needs no control token. */
function Platforms({ onSwitch }: { readonly onSwitch: (credentials: BasicCredentials) => void }) {
  const session = useSession();
  const act = useAct();
  const [made, setMade] = useState<BasicCredentials>();
  const make = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const proofs = form.get('proofs') === 'real' ? 'real' : 'magic';
    const world = String(form.get('world'));
    const token = String(form.get('token') ?? '');
    const { createControlClient } = await import('../../generated/controlClient.ts');
    const operator = createControlClient({
      baseUrl: session.origin,
      fetch: session.sendAs,
      ...(token === '' ? {} : { credentials: { controlToken: token } }),
    });
    const body = world === 'ready-made' || world === 'examples' ? { proofs, world } : { proofs };
    const outcome = await act('The platform is created.', () =>
      operator.POST('/platforms', { body: body as { proofs: 'magic' } }),
    );
    setMade(outcome?.data);
  };
  return (
    <Panel title="Platforms">
      <p className="soft">Each platform has its own data, clock and settings.</p>
      <form className="inline" onSubmit={(event) => void make(event)}>
        <label>
          Proofs
          <select name="proofs">
            <option>real</option>
            <option>magic</option>
          </select>
        </label>
        <label>
          World
          <select name="world">
            <option>ready-made</option>
            <option>examples</option>
            <option>empty</option>
          </select>
        </label>
        <label>
          Control token, if there is one
          <input name="token" type="password" autoComplete="off" />
        </label>
        <button type="submit">Create a platform</button>
      </form>
      {made === undefined ? null : (
        <>
          <Code label="Credentials of the new platform" text={`${made.clientId}:${made.clientSecret}`} />
          <button type="button" onClick={() => onSwitch({ clientId: made.clientId, clientSecret: made.clientSecret })}>
            Sign in to it
          </button>
        </>
      )}
    </Panel>
  );
}

function Tokens() {
  const { serviceQuery } = useSession();
  const tokens = serviceQuery.useQuery('get', '/tokens', { params: { query: { limit: 100 } } });
  const config = serviceQuery.useQuery('get', '/config');
  return (
    <Panel title="Tokens" id="tokens">
      <Loaded query={tokens}>
        {({ data }) => (
          <ul className="plain">
            {data.map(({ id, name, permissions, createdAt }) => (
              <li key={id} className="line">
                <span className="wrap">{name}</span>
                <Id value={id} />
                <span className="soft">{permissions.join(', ')}</span>
                <span className="end">
                  <Time value={createdAt} />
                </span>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <Facts rows={[['UMA domain', config.data?.umaDomain]]} />
    </Panel>
  );
}
