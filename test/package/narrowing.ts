/** Writes the source of a consumer from the contract: every type by name, every union narrowed by its tag. */
import type { ContractDocument, SchemaObject } from '../../scripts/lib/contract.ts';

/** The fields with a secret that is shown only once, each with the types that may have it. */
const oneTimeSecrets: Readonly<Record<string, readonly string[]>> = {
  clientSecret: ['TokenCreated'],
  accessToken: ['AgentConnection'],
  deviceCode: ['AgentCreated'],
  encryptedSessionSigningKey: ['AuthSession'],
  encryptedWalletCredentials: ['WalletExport'],
};

/** House rule R04: every union has a discriminator with a complete mapping. */
interface Discriminator {
  readonly propertyName: string;
  readonly mapping: Readonly<Record<string, string>>;
}

/**
 * A module that only compiles if each named type exists and is neither `any` nor `never`, each union narrows to exactly
 * the member that its tag's value names, and one-time secrets are only on the types that have them.
 */
export function typesModule(contract: ContractDocument): string {
  const schemas = Object.entries(contract.components?.schemas ?? {}).filter(
    (entry): entry is [string, SchemaObject] => typeof entry[1] === 'object',
  );
  const names = schemas.map(([name]) => name);
  const unions = schemas.flatMap(([name, schema]) => {
    if (schema.discriminator === undefined) return [];
    const { propertyName, mapping } = schema.discriminator as Discriminator;
    return [{ name, tag: propertyName, of: mapping }];
  });
  return [
    `import type {\n${names.map((name) => `  ${name},`).join('\n')}\n} from 'countersign';`,
    'type Sound<T> = 0 extends 1 & T ? false : [T] extends [never] ? false : true;',
    'type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;',
    // Without index signatures: a type has a field only if it names the field.
    'type Keys<T> = T extends object ? keyof { [K in keyof T as string extends K ? never : K]: T[K] } : never;',
    `interface Named {\n${names.map((name) => `  ${name}: ${name};`).join('\n')}\n}`,
    'type Carriers<Field extends string> = { [N in keyof Named]: Field extends Keys<Named[N]> ? N : never }[keyof Named];',
    'export const sound: { [N in keyof Named]: Sound<Named[N]> } = {',
    ...names.map((name) => `  ${name}: true,`),
    '};',
    'export const secrets: readonly true[] = [',
    ...Object.entries(oneTimeSecrets).map(
      ([field, carriers]) =>
        `  true satisfies Same<Carriers<'${field}'>, ${carriers.map((name) => `'${name}'`).join(' | ')}>,`,
    ),
    '];',
    ...unions.flatMap(({ name, tag, of }) => [
      `export function narrow${name}(value: ${name}): unknown {`,
      `  switch (value['${tag}']) {`,
      ...Object.entries(of).map(
        ([literal, ref]) => `    case '${literal}': { const member: ${ref.split('/').at(-1)} = value; return member; }`,
      ),
      '    default: { const nothing: never = value; return nothing; }',
      '  }',
      '}',
    ]),
    '',
  ].join('\n');
}
