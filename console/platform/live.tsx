/** Keeps the shown data up to date while the page is open. */
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useState, useSyncExternalStore } from 'react';
import type { ControlEvent } from '../../generated/controlTypes.ts';
import { listen, SignedOut } from './events.ts';
import { JournalStore } from './journal.ts';
import { readAgain } from './readAgain.ts';
import { type Session, useSession } from './session.tsx';

export type LiveState = 'connecting' | 'live' | 'interrupted';

interface Live {
  readonly state: LiveState;
  readonly journal: JournalStore;
}

const Context = createContext<Live>({ state: 'connecting', journal: new JournalStore() });

export function useLive(): Live {
  return useContext(Context);
}

/** The journal, newest first. */
export function useEntries() {
  const { journal } = useLive();
  return useSyncExternalStore(journal.subscribe, journal.entries);
}

export function useMinutes() {
  const { journal } = useLive();
  return useSyncExternalStore(journal.subscribe, journal.minutes);
}

/** Data is read again at most this often, however many events arrive. */
const readAgainMs = 1000;
const retryMs = [500, 1000, 2000, 5000] as const;

export function LiveProvider(props: { readonly children: ReactNode; readonly onSignedOut: () => void }) {
  const { children, onSignedOut } = props;
  const session = useSession();
  const queries = useQueryClient();
  const [journal] = useState(() => new JournalStore());
  const [state, setState] = useState<LiveState>('connecting');

  useEffect(() => {
    const controller = new AbortController();
    void keepListening({ session, queries, journal, setState, onSignedOut, signal: controller.signal });
    return () => controller.abort();
  }, [session, queries, journal, onSignedOut]);

  return <Context value={{ state, journal }}>{children}</Context>;
}

interface Parts {
  readonly session: Session;
  readonly queries: QueryClient;
  readonly journal: JournalStore;
  readonly setState: (state: LiveState) => void;
  readonly onSignedOut: () => void;
  readonly signal: AbortSignal;
}

async function keepListening(parts: Parts): Promise<void> {
  const { session, queries, journal, setState, onSignedOut, signal } = parts;
  const read = atMostSoOften((all) => readAgain(queries, all));
  // Any request may use up a fault.
  const readFaults = atMostSoOften(() => void queries.invalidateQueries({ queryKey: ['get', '/faults'] }));
  const readJournal = async (): Promise<void> => {
    journal.begin();
    const { data } = await session.control.GET('/journal', { signal });
    if (data !== undefined && 'data' in data) journal.replace(data.data);
  };
  const heard = (event: ControlEvent): void => {
    if (event.type === 'EXCHANGE') {
      journal.add(event.exchange);
      const { method } = event.exchange.request;
      if (method !== 'GET' && method !== 'HEAD') read();
      else readFaults();
    } else if (event.type === 'MISSED') {
      void readJournal();
      read(true);
    } else if (event.type === 'CONTROL' && event.operationId === 'deleteJournal') {
      journal.empty();
    } else {
      read(event.type === 'CONTROL' && ['resetPlatform', 'restoreSnapshot'].includes(event.operationId));
    }
  };
  let isFirst = true;
  for (let tries = 0; !signal.aborted; tries += 1) {
    try {
      const opened = (): void => {
        tries = 0;
        setState('live');
        // The journal has what happened before the stream was open.
        void readJournal();
        if (!isFirst) read(true);
        isFirst = false;
      };
      await listen(session, signal, { opened, heard });
    } catch (error) {
      if (error instanceof SignedOut) {
        onSignedOut();
        return;
      }
    }
    if (signal.aborted) return;
    setState('interrupted');
    await new Promise((resolve) => setTimeout(resolve, retryMs[Math.min(tries, retryMs.length - 1)]));
  }
}

/** Runs the work at once and then at most once per interval. `all` stays true until the work has run. */
function atMostSoOften(work: (all: boolean) => void): (all?: boolean) => void {
  let lastAt = 0;
  let isAll = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  return (all = false) => {
    isAll ||= all;
    if (timer !== undefined) return;
    const wait = Math.max(0, lastAt + readAgainMs - Date.now());
    timer = setTimeout(() => {
      timer = undefined;
      lastAt = Date.now();
      work(isAll);
      isAll = false;
    }, wait);
  };
}
