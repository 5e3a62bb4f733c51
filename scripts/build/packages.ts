/** Lists which packages are bundled into the published package, and which stay outside. */

/**
 * Packages that the product imports and the build bundles into `dist/`. They are `devDependencies`, because an
 * installed package contains them. The build fails if it doesn't find one of them; the import rules forbid any other.
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

/** Packages that the console is built with. The served page contains them. */
export const consolePackages: readonly string[] = [
  '@base-ui/react',
  '@tanstack/react-query',
  '@tanstack/react-virtual',
  'openapi-react-query',
  'react',
  'react-dom',
];

/**
 * Packages that `dist/` imports by name. `openapi-fetch` is the only dependency, because the client's types build on
 * its types. The others are loaded only if they are installed: test frameworks, tools of single commands, and two
 * optional parts of `pg`.
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
