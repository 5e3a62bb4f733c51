/**
 * The names that a text of the contract may be linked by: error codes, decisions and operations. The reference and the
 * Markdown pages of the site link the same names, each to its own addresses.
 */

/** Where a name leads to; undefined for what isn't such a name. */
export type AddressOf = (name: string) => string | undefined;

// What is passed over first: code blocks, headings, links, addresses and elements. Then code, and the number of a decision.
const pieces =
  /^(?:```[\s\S]*?^```|#.*)$|\[[^\]]*\]\([^)]*\)|https?:\/\/\S+|<\/?[a-z][^>]*>|`([^`\n]+)`|\b(D\d{2,})\b/gm;

/** Links each name in Markdown that has an address: codes and operations where they stand as code, decisions anywhere. */
export function linkNames(markdown: string, addressOf: AddressOf): string {
  return markdown.replaceAll(pieces, (piece: string, code: string | undefined, decision: string | undefined) => {
    const address = addressOf(code ?? decision ?? '');
    return address === undefined ? piece : `[${piece}](${address})`;
  });
}

/** A heading's anchor, as GitHub and our readers make it. */
export function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}

/** The headings of a Markdown text from level 2 on, without its code blocks. */
export function headingsOf(markdown: string): string[] {
  const prose = markdown.replaceAll(/^```[\s\S]*?^```$/gm, '');
  return [...prose.matchAll(/^#{2,} (.+)$/gm)].map(([, heading = '']) => heading.trim());
}

/** The anchors of the errors and decisions that have a heading in the guides, by code and by number. */
export function anchorsOf(guides: string): Map<string, string> {
  return new Map(
    headingsOf(guides).flatMap((heading): [string, string][] => {
      const [name] = /^D\d{2,}(?= )|^[A-Z]+(?:_[A-Z]+)*$/.exec(heading) ?? [];
      return name === undefined ? [] : [[name, slugOf(heading)]];
    }),
  );
}
