/** Random numbers that are the same for the same seed. */

export interface Random {
  /** From 0 up to, but not including, 1. */
  fraction(): number;
  /** A whole number from 0 up to, but not including, `limit`. */
  below(limit: number): number;
  pick<T>(items: readonly T[]): T;
  /** True with the probability `share`, from 0 to 1. */
  chance(share: number): boolean;
  /** A whole number from 1 to `limit`. Every order of magnitude is about equally likely. */
  amount(limit: number): number;
}

/** A source of numbers from a whole-number seed: Mulberry32. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(fraction() * limit);
  return {
    fraction,
    below,
    pick: (items) => items[below(items.length)] as (typeof items)[number],
    chance: (share) => fraction() < share,
    amount: (limit) => Math.min(limit, Math.max(1, Math.floor(Math.exp(fraction() * Math.log(limit + 1))))),
  };
}
