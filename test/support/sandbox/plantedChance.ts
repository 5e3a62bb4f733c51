import { type ChanceSource, seededChance } from '../../../mocks/sandbox/tools/chance.ts';

/** Chance that a test has planted; it can be planted in a page as well. */
export interface PlantedChance extends ChanceSource {
  readonly draws: readonly (readonly number[])[];
}

/** Chance whose draws of six bytes, which is what a code asks for, are the given ones, filled up with zeros. */
export function plantedChance(draws: readonly (readonly number[])[]): PlantedChance {
  const left = [...draws];
  const seeded = seededChance(1);
  return {
    draws,
    scope(name) {
      const chance = seeded.scope(name);
      return {
        bytes(length) {
          const planted = length === 6 ? left.shift() : undefined;
          return planted === undefined
            ? chance.bytes(length)
            : Uint8Array.from({ length }, (_, at) => planted[at] ?? 0);
        },
      };
    },
  };
}
