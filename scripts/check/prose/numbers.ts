/** Checks the numbers in prose: amounts beside a currency, and counts of things in the contract or the sandbox. */

/** The figures that numbers in texts are compared with. */
export interface Figures {
  /** Currency code → how many decimals its amounts have. */
  readonly decimals: ReadonlyMap<string, number>;
  /** Each kind of sentence that states a number, and the number. */
  readonly claims: readonly Claim[];
}

export interface Claim {
  /** The first group is the number, in digits or as a word up to twelve. */
  readonly form: RegExp;
  readonly is: number;
  readonly what: string;
}

const amount = /(?<![\w.:,-])(\d[\d,]*)(?:\.(\d+))? ([A-Z]{3,4})\b( units)?/g;
const words = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');

/** One phrase for each false number. */
export function findFalseNumbers(text: string, { decimals, claims }: Figures): string[] {
  const flat = text.replaceAll(/\s+/g, ' ');
  return [
    ...[...flat.matchAll(amount)].flatMap(([said, , fraction = '', currency = '', units]) => {
      const expected = decimals.get(currency);
      if (expected === undefined) return [];
      const least = Math.min(2, expected);
      if (units === undefined && fraction.length >= least && fraction.length <= expected) return [];
      return [
        `"${said}": an amount of ${currency} is written with ${least} to ${expected} decimals and without "units"`,
      ];
    }),
    ...claims.flatMap(({ form, is, what }) =>
      [...flat.matchAll(new RegExp(form, 'gi'))]
        .filter(([, number = '']) => numberOf(number) !== is)
        .map(([said]) => `"${said}": ${what} is ${is}`),
    ),
  ];
}

/** Claims that no text makes any more. Their pattern matches nothing, so they would check nothing. */
export function findIdleClaims(texts: readonly string[], { claims }: Figures): string[] {
  const flat = texts.map((text) => text.replaceAll(/\s+/g, ' '));
  return claims
    .filter(({ form }) => !flat.some((text) => new RegExp(form, 'i').test(text)))
    .map(({ form }) => `nothing says ${form}: change or remove this claim`);
}

function numberOf(text: string): number {
  const word = words.indexOf(text.toLowerCase());
  return word < 0 ? Number(text.replaceAll(',', '')) : word;
}
