/** House rules R18 and R25: the contract and `openapi/DECISIONS.md` name the same decisions. */

/** The differences between contract and decisions. */
export interface DecisionFaults {
  /** Decisions that the contract names and the document does not have. */
  readonly missing: readonly string[];
  /** Decisions of the document that no element of the contract names. */
  readonly unused: readonly string[];
  /** Decisions that the document has twice. */
  readonly repeated: readonly string[];
}

/**
 * Compares every `x-decision` and `x-basis` of a document with the headings `## D07 …` of the text.
 *
 * @param contract a bundled or parsed OpenAPI document, extensions included
 * @param text of `DECISIONS.md`
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

/** The decisions of an `x-basis`, however deep they stand in it. */
function namedIn(said: unknown): string[] {
  if (typeof said === 'object' && said !== null) return Object.values(said).flatMap(namedIn);
  return /^D\d{2,}$/.test(String(said)) ? [String(said)] : [];
}
