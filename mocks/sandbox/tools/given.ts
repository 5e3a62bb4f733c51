/** The same facts without undefined ones. */
export type Given<Facts> = {
  readonly [Key in keyof Facts as undefined extends Facts[Key] ? never : Key]: Facts[Key];
} & {
  readonly [Key in keyof Facts as undefined extends Facts[Key] ? Key : never]?: Exclude<Facts[Key], undefined>;
};

/** Leaves undefined facts out: if `a` is undefined, `{ ...given({ a, b }) }` has no property `a`. */
export function given<Facts extends object>(facts: Facts): Given<Facts> {
  const known: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(facts)) if (value !== undefined) known[name] = value;
  return known as Given<Facts>;
}
