/**
 * Links names in the contract's texts: error codes, decisions and operations. The reference and the site's Markdown
 * pages link the same names, each to its own addresses.
 */

/** The address that a name leads to; undefined if it isn't such a name. */
export type AddressOf = (name: string) => string | undefined;

// What is skipped comes first: code blocks, headings, links, addresses and elements. Then code, and decision numbers.
const pieces =
  /^(?:```[\s\S]*?^```|#.*)$|\[[^\]]*\]\([^)]*\)|https?:\/\/\S+|<\/?[a-z][^>]*>|`([^`\n]+)`|\b(D\d{2,})\b/gm;

/** Links each name in Markdown that has an address: codes and operations only in code spans, decisions anywhere. */
export function linkNames(markdown: string, addressOf: AddressOf): string {
  return markdown.replaceAll(pieces, (piece: string, code: string | undefined, decision: string | undefined) => {
    const address = addressOf(code ?? decision ?? '');
    return address === undefined ? piece : `[${piece}](${address})`;
  });
}

/** A heading's anchor, by GitHub's rule. */
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

/** The anchors of errors and decisions with a heading in the guides, by code and by number. */
export function anchorsOf(guides: string): Map<string, string> {
  return new Map(
    headingsOf(guides).flatMap((heading): [string, string][] => {
      const [name] = /^D\d{2,}(?= )|^[A-Z]+(?:_[A-Z]+)*$/.exec(heading) ?? [];
      return name === undefined ? [] : [[name, slugOf(heading)]];
    }),
  );
}
