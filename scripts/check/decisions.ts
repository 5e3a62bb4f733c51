/** House rules R18 and R25: the contract and `openapi/DECISIONS.md` name the same decisions. */

/** The differences between the contract and the document. */
export interface DecisionFaults {
  /** Decisions that the contract names, but that the document doesn't have. */
  readonly missing: readonly string[];
  /** Decisions in the document that no element of the contract names. */
  readonly unused: readonly string[];
  /** Decisions that are in the document twice. */
  readonly repeated: readonly string[];
}

/**
 * Compares every `x-decision` and `x-basis` of a document with the headings `## D07 …` of the text.
 *
 * @param contract a bundled or parsed OpenAPI document, with its extensions
 * @param text the text of `DECISIONS.md`
 */
export function compareDecisions(contract: unknown, text: string): DecisionFaults {
  const written = [...text.matchAll(/^## (D\d{2,})\b/gm)].map(([, number]) => number as string);
  const named = new Set(decisionsIn(contract));
  return {
    missing: [...named].filter((number) => !written.includes(number)).sort(),
    unused: [...new Set(written)].filter((number) => !named.has(number)),
    repeated: written.filter((number, index) => written.indexOf(number) < index),
  };
}

function decisionsIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) => {
    if (key === 'x-decision') return [value].flat().map(String);
    return key === 'x-basis' ? namedIn(value) : decisionsIn(value);
  });
}

/** The decisions that an `x-basis` names, at any depth. */
function namedIn(said: unknown): string[] {
  if (typeof said === 'object' && said !== null) return Object.values(said).flatMap(namedIn);
  return /^D\d{2,}$/.test(String(said)) ? [String(said)] : [];
}
