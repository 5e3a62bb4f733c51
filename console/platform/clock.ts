/** The platform's time, and what is due. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useSession } from './session.tsx';

/** The time of the platform's clock. It ticks every second unless the clock stands still. */
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

/** What is due next. It is read again when the first of it is due. */
export function useDue(now: number | undefined) {
  const { controlQuery } = useSession();
  const queries = useQueryClient();
  const query = controlQuery.useQuery('get', '/due');
  const [first] = query.data?.data ?? [];
  const isDue = first !== undefined && now !== undefined && Date.parse(first.dueAt) <= now;
  useEffect(() => {
    // The sandbox carries out what is due before it answers any read.
    if (isDue) void queries.invalidateQueries();
  }, [isDue, queries]);
  return query;
}
