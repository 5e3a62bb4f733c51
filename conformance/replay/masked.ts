/** Compares masked values by their form. */
/**
 * Whether a secret has the form of a recorded one, which may be masked: the same known prefix, the same separators,
 * about the same length. In base58, random bytes can be one character longer or shorter.
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
