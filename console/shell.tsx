import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import type { BasicCredentials } from '../generated/client.ts';
import { Empty } from './parts/basics.tsx';
import { Boundary } from './parts/boundary.tsx';
import { useLive } from './platform/live.tsx';
import { addressOf, Link, root, usePlace } from './platform/router.tsx';
import { useSession } from './platform/session.tsx';
import { themes, useTheme } from './platform/theme.ts';
import { Agents } from './views/agents.tsx';
import { Codes } from './views/codes.tsx';
import { Customers } from './views/customers.tsx';
import { Find } from './views/find.tsx';
import { Money } from './views/money.tsx';
import { Overview } from './views/overview.tsx';
import { Traffic } from './views/traffic.tsx';
import { views } from './views.ts';

// Views that few users open, or not at first, load on demand.
const later = {
  compose: () => import('./views/compose.tsx'),
  control: () => import('./views/control.tsx'),
  customer: () => import('./views/customer.tsx'),
  exchange: () => import('./views/exchange.tsx'),
  payment: () => import('./views/payment.tsx'),
  palette: () => import('./palette.tsx'),
};
const Compose = lazy(later.compose);
const Control = lazy(later.control);
const Customer = lazy(later.customer);
const Exchange = lazy(later.exchange);
const Payment = lazy(later.payment);
const Palette = lazy(later.palette);

export function Shell(props: {
  readonly onSignOut: () => void;
  readonly onSwitch: (credentials: BasicCredentials) => void;
}) {
  const place = usePlace();
  const { state } = useLive();
  const { credentials, isInPage, readContract } = useSession();
  const [theme, setTheme] = useTheme();
  const [isPaletteOpen, setIsPaletteOpen] = useState(false);
  const content = useRef<HTMLElement>(null);
  const view = views.find(({ name }) => name === place.view);
  const title = place.view === 'find' ? 'Find' : (view?.title ?? 'Not found');

  useEffect(() => {
    document.title = `${title} · Countersign console`;
  }, [title]);
  // A sandbox in the page answers without a network, so its console must not need one later either.
  useEffect(() => {
    if (isInPage) void Promise.allSettled([readContract(), ...Object.values(later).map((load) => load())]);
  }, [isInPage, readContract]);
  // The link that was followed may disappear with its view, and the focus with it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever the place has changed
  useEffect(() => {
    if (document.activeElement === document.body) content.current?.focus({ preventScroll: true });
  }, [place.view, place.id]);
  useEffect(() => {
    const open = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      setIsPaletteOpen((isOpen) => !isOpen);
    };
    addEventListener('keydown', open);
    return () => removeEventListener('keydown', open);
  }, []);

  return (
    <div className="shell">
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <header className="side">
        <Link className="name" href={root}>
          Countersign
        </Link>
        <nav aria-label="Views">
          {views.map(({ name, title: label }) => (
            <Link key={name} href={addressOf(name)} aria-current={name === place.view ? 'page' : undefined}>
              {label}
            </Link>
          ))}
        </nav>
        <div className="foot">
          <button type="button" className="small" onClick={() => setIsPaletteOpen(true)}>
            Search <kbd>⌘K</kbd>
          </button>
          <span className={`live ${state === 'live' ? 'on' : ''}`} role="status">
            {{ connecting: 'Connecting…', live: 'Live', interrupted: 'Connecting again…' }[state]}
          </span>
          <label>
            Theme
            <select value={theme} onChange={(event) => setTheme(event.target.value as typeof theme)}>
              {themes.map((one) => (
                <option key={one} value={one}>
                  {one}
                </option>
              ))}
            </select>
          </label>
          <span className="soft wrap">
            Signed in as <span className="mono">{credentials.clientId}</span>
          </span>
          <button type="button" className="small" onClick={props.onSignOut}>
            Sign out
          </button>
        </div>
      </header>
      <main id="content" ref={content} tabIndex={-1}>
        <Boundary what="This view" at={`${place.view}/${place.id}`}>
          <Suspense fallback={<p className="soft">Loading…</p>}>
            {viewOf(place.view, place.id, props.onSwitch)}
          </Suspense>
        </Boundary>
        {isPaletteOpen ? (
          <Boundary what="The search">
            <Suspense fallback={null}>
              <Palette onClose={() => setIsPaletteOpen(false)} />
            </Suspense>
          </Boundary>
        ) : null}
      </main>
    </div>
  );
}

function viewOf(view: string, id: string | undefined, onSwitch: (credentials: BasicCredentials) => void): ReactNode {
  switch (view) {
    case '':
      return <Overview />;
    case 'traffic':
      if (id === 'new') return <Compose />;
      return id === undefined ? <Traffic /> : <Exchange key={id} id={id} />;
    case 'codes':
      return <Codes />;
    case 'customers':
      return id === undefined ? <Customers /> : <Customer key={id} id={id} />;
    case 'money':
      return id === undefined ? <Money /> : <Payment key={id} id={id} />;
    case 'agents':
      return <Agents id={id} />;
    case 'control':
      return <Control onSwitch={onSwitch} />;
    case 'find':
      return <Find key={id} id={id ?? ''} />;
    default:
      return <Empty>The console has no such view. Choose one from the menu.</Empty>;
  }
}
