/**
 * The hint in a refusal if the proof belongs to the other mode. The hint depends only on the form of the proof and on
 * the published magic values, so it reveals no secret (D43).
 */
const change = 'PUT /__sandbox/settings changes them';

export const modeHints = {
  /** A real proof, or a similar text, on a platform with magic proofs. */
  realInMagic: `this platform is in magic proofs, where only the documented magic values count; ${change}`,
  /** A magic value on a platform with real proofs. */
  magicInReal: `this platform is in real proofs, where no magic value counts; ${change}`,
} as const;
