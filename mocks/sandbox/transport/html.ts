/** The style of our small pages, and the escaping of text in them. */

/** One style sheet for all pages. */
export const style = `
:root { color-scheme: light dark; --text: #1a1c20; --soft: #565b64; --line: #d5d9e0; --back: #fff; --code: #f3f5f8; --link: #0a4fbf; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e7e9ee; --soft: #a6adba; --line: #343a45; --back: #14161a; --code: #1e2229; --link: #84b3ff; }
}
* { box-sizing: border-box; }
body { margin: 0; padding: 3rem 1.25rem; background: var(--back); color: var(--text); font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 44rem; margin: 0 auto; }
h1 { margin: 0 0 .5rem; font-size: 1.75rem; line-height: 1.2; }
h2 { margin: 2.25rem 0 .5rem; font-size: 1.05rem; }
p { margin: 0 0 .75rem; }
p, li { overflow-wrap: anywhere; }
ul { margin: 0; padding: 0; list-style: none; border-top: 1px solid var(--line); }
li { padding: .75rem 0; border-bottom: 1px solid var(--line); color: var(--soft); }
a { color: var(--link); font-weight: 600; }
a:focus-visible, pre:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
code, pre { font: .875rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
pre { margin: 0; padding: .75rem 1rem; overflow-x: auto; border-radius: 6px; background: var(--code); }
li code { display: block; }
`;

/** A tick on blue, as a data URL. */
export const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%230a4fbf'/%3E%3Cpath d='M4 8.5l2.5 2.5L12 5.5' fill='none' stroke='%23fff' stroke-width='2'/%3E%3C/svg%3E";

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for an element or an attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (letter) => escapes[letter] ?? letter);
}
