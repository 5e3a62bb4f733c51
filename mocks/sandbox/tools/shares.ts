/** Bounds of a thing that all platforms of a process share. */
export interface ShareBounds {
  /** Generous, because nobody's share should depend on others. */
  readonly process: number;
  readonly platform: number;
  /** For each token of a platform, or each agent. */
  readonly token: number;
}

/** Whose bound is reached. */
export type Full = keyof ShareBounds;

/** Counts who holds how many of a thing, so that nobody takes the share of another. */
export interface Shares {
  /** Whose bound one more would exceed; undefined if there is room. */
  full(platformId: string, token: string): Full | undefined;
  /** Takes one without asking. @returns gives it back; a second call does nothing */
  take(platformId: string, token: string): () => void;
  /** What one platform has, or all have together. */
  count(platformId?: string): number;
}

export function createShares(bounds: ShareBounds): Shares {
  const counts = new Map<string, number>();
  let all = 0;
  const add = (key: string, change: 1 | -1): void => {
    const count = (counts.get(key) ?? 0) + change;
    if (count === 0) counts.delete(key);
    else counts.set(key, count);
  };
  const keyOf = (platformId: string, token: string): string => JSON.stringify([platformId, token]);
  return {
    full(platformId, token) {
      if ((counts.get(keyOf(platformId, token)) ?? 0) >= bounds.token) return 'token';
      if ((counts.get(platformId) ?? 0) >= bounds.platform) return 'platform';
      return all >= bounds.process ? 'process' : undefined;
    },
    take(platformId, token) {
      const keys = [keyOf(platformId, token), platformId];
      for (const key of keys) add(key, 1);
      all += 1;
      let isTaken = true;
      return () => {
        if (!isTaken) return;
        isTaken = false;
        for (const key of keys) add(key, -1);
        all -= 1;
      };
    },
    count: (platformId) => (platformId === undefined ? all : (counts.get(platformId) ?? 0)),
  };
}
