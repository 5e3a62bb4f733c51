/** Masked values: the form that is left of them. */
/**
 * Whether a secret has the form of a recorded one, which may be masked: the same known beginning, the same separators, about
 * the same length. Random bytes are a character longer or shorter in base58.
 */
export function hasForm(recorded: string, ours: string): boolean {
  const [before, now] = [recorded, ours].map((text) => {
    const [prefix = ''] = /^(?:agent_|agent-)/i.exec(text) ?? [];
    return { prefix: prefix.toLowerCase(), separators: text.replaceAll(/[\w-]/g, ''), length: text.length };
  }) as [Form, Form];
  return (
    before.prefix === now.prefix &&
    before.separators === now.separators &&
    Math.abs(before.length - now.length) <= Math.ceil(before.length * 0.05)
  );
}

interface Form {
  readonly prefix: string;
  readonly separators: string;
  readonly length: number;
}
