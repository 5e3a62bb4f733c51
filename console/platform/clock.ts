/** The platform's time while it runs, and what happens by itself. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useSession } from './session.tsx';

/** What the platform's clock says now; it ticks every second unless it stands still. */
export function usePlatformClock() {
  const { controlQuery } = useSession();
  const query = controlQuery.useQuery('get', '/clock');
  const [, tick] = useState(0);
  const isRunning = query.data?.frozen === false;
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => tick((count) => count + 1), 1000);
    return () => clearInterval(timer);
  }, [isRunning]);
  const read = query.data === undefined ? undefined : Date.parse(query.data.now);
  const since = isRunning ? Date.now() - query.dataUpdatedAt : 0;
  return { query, now: read === undefined ? undefined : read + since };
}

/** What will happen next. It is read again at the moment when the first of it happens. */
export function useDue(now: number | undefined) {
  const { controlQuery, service } = useSession();
  const queries = useQueryClient();
  const query = controlQuery.useQuery('get', '/due');
  const [first] = query.data?.data ?? [];
  const isDue = first !== undefined && now !== undefined && Date.parse(first.dueAt) <= now;
  useEffect(() => {
    // A request of the interface has what is due happen.
    if (isDue) void service.GET('/config').then(() => queries.invalidateQueries());
  }, [isDue, service, queries]);
  return query;
}
