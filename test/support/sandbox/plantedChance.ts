import { type ChanceSource, seededChance } from '../../../mocks/sandbox/tools/chance.ts';

/** Random numbers that a test has chosen. They can be sent to a page too. */
export interface PlantedChance extends ChanceSource {
  readonly draws: readonly (readonly number[])[];
}

/** A source whose draws of six bytes (the size that a code needs) are the given ones, padded with zeros. */
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
