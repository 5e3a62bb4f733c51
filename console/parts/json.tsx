import type { ReactNode } from 'react';
import { Id } from './basics.tsx';
import { isId } from './format.ts';

/** A longer text is shown without links. */
const limit = 100_000;

/** Shows a value as JSON, with links for ids. It uses text nodes, so nothing in it can become markup. */
export function Json({ value, label }: { readonly value: unknown; readonly label: string }) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached with the keyboard
    <section className="text" tabIndex={0} aria-label={label}>
      <pre>{text.length > limit ? text : withLinks(text)}</pre>
    </section>
  );
}

function withLinks(text: string): ReactNode[] {
  let at = 0;
  // Every second part is the content of a quoted text.
  return text.split(/"([A-Z][A-Za-z]+:[0-9A-Za-z-]+)"/).flatMap((part, index): ReactNode[] => {
    at += part.length;
    if (index % 2 === 0) return [part];
    return isId(part) ? ['"', <Id key={at} value={part} />, '"'] : [`"${part}"`];
  });
}
