/** Makes the package's bill of materials (SBOM): its dependencies, and the packages that are bundled into it. */

interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly properties?: readonly { readonly name: string; readonly value: string }[];
  readonly [field: string]: unknown;
}

interface Dependency {
  readonly ref: string;
  readonly dependsOn?: readonly string[];
}

/** A CycloneDX document, as `npm sbom` writes it. */
export interface Sbom {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly Dependency[];
  readonly [field: string]: unknown;
}

export interface PackageVersion {
  readonly name: string;
  readonly version: string;
}

/**
 * Reduces npm's SBOM of the project, which includes development tools, to what users get.
 *
 * @param inside the bundled packages: npm counts them as development tools
 * @throws Error if one of them isn't in npm's SBOM
 */
export function reduceSbom(full: Sbom, inside: readonly PackageVersion[]): Sbom {
  const own = full.metadata.component;
  const idOf = ({ name, version }: PackageVersion): string => `${name}@${version}`;
  const bundled = new Set(inside.map(idOf));
  const kept = full.components.filter((component) => !isOfDevelopment(component) || bundled.has(idOf(component)));
  const missing = [...bundled].filter((id) => !kept.some((component) => idOf(component) === id));
  if (missing.length > 0) throw new Error(`npm sbom doesn't list ${missing.join(', ')}. Run npm ci, and build again.`);
  const refs = new Set([own['bom-ref'], ...kept.map((component) => component['bom-ref'])]);
  return {
    ...full,
    // npm uses the name of the folder.
    metadata: { ...full.metadata, component: { ...own, name: own['bom-ref'].replace(/@[^@]*$/, '') } },
    components: kept.map(({ properties = [], ...component }) => ({
      ...component,
      properties: properties.filter(({ name }) => name !== developmentMark),
    })),
    dependencies: full.dependencies
      .filter(({ ref }) => refs.has(ref))
      .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) })),
  };
}

const developmentMark = 'cdx:npm:package:development';

function isOfDevelopment({ properties = [] }: Component): boolean {
  return properties.some(({ name, value }) => name === developmentMark && value === 'true');
}
