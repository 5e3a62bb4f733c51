/** The same facts, those that are undefined left out. */
export type Given<Facts> = {
  readonly [Key in keyof Facts as undefined extends Facts[Key] ? never : Key]: Facts[Key];
} & {
  readonly [Key in keyof Facts as undefined extends Facts[Key] ? Key : never]?: Exclude<Facts[Key], undefined>;
};

/** What is known of some facts: `{ ...given({ a, b }) }` has no `a` if that is undefined, not one that is undefined. */
export function given<Facts extends object>(facts: Facts): Given<Facts> {
  const known: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(facts)) if (value !== undefined) known[name] = value;
  return known as Given<Facts>;
}
