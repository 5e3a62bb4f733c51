import { Dialog } from '@base-ui/react/dialog';
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { operations } from '../generated/operations.ts';
import type { Customer } from '../generated/types.ts';
import { useAct } from './parts/act.tsx';
import { isId } from './parts/format.ts';
import { addressOf, go } from './platform/router.tsx';
import { useSession } from './platform/session.tsx';
import { nameOf } from './views/customers.tsx';
import { views } from './views.ts';

interface Choice {
  readonly title: string;
  readonly kind: string;
  readonly choose: () => void;
}

const shown = 40;

/** Finds every view, action, operation, customer and id by its name. */
export default function Palette({ onClose }: { readonly onClose: () => void }) {
  const { control, watch } = useSession();
  const act = useAct();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const [customers, setCustomers] = useState<readonly Customer[]>([]);
  const list = useRef<HTMLDivElement>(null);
  const listId = useId();

  useEffect(() => {
    void watch
      .GET('/customers', { params: { query: { limit: 100 } } })
      .then(({ data }) => setCustomers(data?.data ?? []));
  }, [watch]);

  const all = useMemo((): Choice[] => {
    const open = (address: string) => () => go(address);
    const move = (advanceSeconds: number) => () =>
      void act('The clock moved.', () => control.POST('/clock', { body: { advanceSeconds } }));
    return [
      ...views.map(({ name, title }) => ({ title, kind: 'view', choose: open(addressOf(name)) })),
      { title: 'Move the clock by 30 seconds', kind: 'action', choose: move(30) },
      { title: 'Move the clock by 6 minutes', kind: 'action', choose: move(360) },
      { title: 'Move the clock by 1 day', kind: 'action', choose: move(86_400) },
      { title: 'Reset the platform', kind: 'action', choose: open(addressOf('control')) },
      { title: 'Plant a fault', kind: 'action', choose: open(addressOf('control')) },
      {
        title: 'Clear the journal',
        kind: 'action',
        choose: () => void act('The journal is cleared.', () => control.DELETE('/journal')),
      },
      ...customers.map((customer) => ({
        title: nameOf(customer),
        kind: customer.id,
        choose: open(addressOf('customers', customer.id)),
      })),
      ...operations.map(({ id, method, path }) => ({
        title: id,
        kind: `${method} ${path}`,
        choose: open(addressOf('traffic', 'new', { operation: id })),
      })),
    ];
  }, [control, act, customers]);

  const wanted = text.trim().toLowerCase();
  const found = useMemo((): Choice[] => {
    const typed = text.trim();
    const byId: Choice[] = isId(typed)
      ? [{ title: typed, kind: 'id', choose: () => go(addressOf('find', typed)) }]
      : [];
    const anything: Choice[] =
      wanted === ''
        ? []
        : [
            {
              title: `Search customers for “${typed}”`,
              kind: 'search',
              choose: () => go(addressOf('customers', undefined, { text: typed })),
            },
            {
              title: `Search traffic for “${typed}”`,
              kind: 'search',
              choose: () => go(addressOf('traffic', undefined, { text: typed })),
            },
          ];
    const named = all.filter(({ title, kind }) => `${title} ${kind}`.toLowerCase().includes(wanted));
    return [...byId, ...named.slice(0, shown), ...anything];
  }, [all, text, wanted]);

  const choose = (choice: Choice | undefined): void => {
    if (choice === undefined) return;
    onClose();
    choice.choose();
  };
  const press = (event: KeyboardEvent<HTMLInputElement>): void => {
    const last = found.length - 1;
    const next = { ArrowDown: Math.min(last, at + 1), ArrowUp: Math.max(0, at - 1), Home: 0, End: last }[event.key];
    if (event.key === 'Enter') {
      event.preventDefault();
      choose(found[at]);
    } else if (next !== undefined && (event.key.startsWith('Arrow') || text === '')) {
      event.preventDefault();
      setAt(next);
      list.current?.children[next]?.scrollIntoView({ block: 'nearest' });
    }
  };

  return (
    <Dialog.Root open onOpenChange={(isOpen) => isOpen || onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog palette" aria-label="Search">
          <input
            role="combobox"
            aria-expanded="true"
            aria-controls={listId}
            aria-activedescendant={found.length === 0 ? undefined : `${listId}-${at}`}
            aria-label="Search views, actions, operations, customers and ids"
            placeholder="A view, an action, an operation, a customer or an id"
            value={text}
            onChange={(event) => {
              setText(event.target.value);
              setAt(0);
            }}
            onKeyDown={press}
          />
          <div id={listId} role="listbox" aria-label="Results" ref={list}>
            {found.map((choice, index) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are handled where the focus is
              // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field above
              <div
                key={`${choice.kind} ${choice.title}`}
                id={`${listId}-${index}`}
                role="option"
                aria-selected={index === at}
                onClick={() => choose(choice)}
              >
                <span>{choice.title}</span>
                <span className="soft">{choice.kind}</span>
              </div>
            ))}
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
