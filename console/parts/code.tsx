import { useAct } from './act.tsx';

/** Copies a text. Rejects over plain HTTP from another machine, where a page has no clipboard. */
async function copy(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
}

export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const act = useAct();
  return (
    <button
      type="button"
      className="small"
      onClick={() =>
        act.say(
          copy(text).then(
            () => 'Copied.',
            () => "The browser doesn't let this page copy. Select the text instead.",
          ),
        )
      }
    >
      {label}
    </button>
  );
}

/** Code with a button that copies it. */
export function Code({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div className="code">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached with the keyboard */}
      <section className="text" tabIndex={0} aria-label={label}>
        <pre>{text}</pre>
      </section>
      <CopyButton text={text} />
    </div>
  );
}
