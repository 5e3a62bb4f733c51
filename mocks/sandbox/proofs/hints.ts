/**
 * What a refusal says when somebody proves things in the way of the other mode. The hint depends only on the form
 * of what was sent and on the published magic values, so it tells nothing of a secret (D43).
 */
const change = 'PUT /__sandbox/settings changes them';

export const modeHints = {
  /** A real proof, or what looks like one, on a platform in magic proofs. */
  realInMagic: `this platform is in magic proofs, where only the documented magic values count; ${change}`,
  /** A magic value on a platform in real proofs. */
  magicInReal: `this platform is in real proofs, where no magic value counts; ${change}`,
} as const;
