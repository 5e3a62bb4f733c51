/** Which packages are bundled into the published one, and which stay outside. */

/**
 * What the product imports and the build bundles into `dist/`. They are `devDependencies`, because an installed package has
 * them inside. The build fails if it doesn't meet one of them; the import rules refuse any other.
 */
export const bundledPackages: readonly string[] = [
  '@hpke/core',
  '@modelcontextprotocol/server',
  '@noble/curves',
  '@noble/hashes',
  '@scure/base',
  '@scure/bip39',
  '@peculiar/asn1-schema',
  '@peculiar/asn1-x509',
  '@simplewebauthn/server',
  '@sqlite.org/sqlite-wasm',
  '@streamparser/json',
  'ajv',
  'ajv-formats',
  'canonicalize',
  'commander',
  'content-type',
  'idb',
  'jose',
  'kysely',
  'negotiator',
  'pg',
  'uuid',
  'yaml',
  'yauzl',
];

/** What the console is built with; the page that is served has them inside. */
export const consolePackages: readonly string[] = [
  '@base-ui/react',
  '@tanstack/react-query',
  '@tanstack/react-virtual',
  'openapi-react-query',
  'react',
  'react-dom',
  'uplot',
];

/**
 * Packages that `dist/` imports by name. `openapi-fetch` is the one dependency: the client's types are built on its types.
 * The others are loaded only where somebody installed them: test frameworks, tools of single commands, and two parts of `pg` that it can
 * do without.
 */
export const externalPackages: readonly string[] = [
  'openapi-fetch',
  'msw',
  '@playwright/test',
  'vitest',
  '@stoplight/prism-http',
  'pg-cloudflare',
  'pg-native',
];
