/** Other projects' tools, how each gets the contract, and its known faults. */
import { join } from 'node:path';
import { projectRoot } from '../../scripts/lib/project.ts';

export const contractFile = join(projectRoot, 'generated/openapi.json');
const collections = join(projectRoot, 'generated/collections');
const validators = join(import.meta.dirname, 'validators');

/** A command: a package's script or a file of ours, and its arguments. */
export interface Command {
  /** A package of the matrix and its executable. */
  readonly bin?: readonly [packageName: string, executable: string];
  /** A package of the project, which `npm ci` installs, and its executable. */
  readonly ownBin?: readonly [packageName: string, executable: string];
  readonly script?: string;
  readonly args: readonly string[];
  readonly cwd?: string;
}

export type StepName = 'generate' | 'compile' | 'requests' | 'validate' | 'run';

export interface Tool {
  readonly name: string;
  /** The package whose version the table shows. */
  readonly packageName: string;
  /** Whether the package belongs to the project, not to the matrix. */
  readonly isOwn?: true;
  readonly kind: 'generator' | 'validator' | 'collection';
  /** The command. `made` is the folder for its output, `base` the address of the sandbox. */
  readonly command: (place: { readonly made: string; readonly base: string }) => Command;
  /** Files to write before the start, by their path from the folder above `made`. */
  readonly files?: (made: string) => Readonly<Record<string, string>>;
  /** Files that are copied from consumers/ together with the consumer. */
  readonly extra?: readonly string[];
  /** The part of its output that the table shows. */
  readonly result?: RegExp;
  /** What users of the tool must know: a shortcoming that doesn't fail any step. */
  readonly note?: string;
  /** The step that fails because of the tool, and the reason. If it doesn't fail any more, that is a finding. */
  readonly fault?: { readonly step: StepName; readonly why: string };
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

const generators: readonly Tool[] = [
  {
    name: 'hey-api',
    packageName: '@hey-api/openapi-ts',
    kind: 'generator',
    command: ({ made }) => ({
      bin: ['@hey-api/openapi-ts', 'openapi-ts'],
      args: ['-i', contractFile, '-o', made, '-c', '@hey-api/client-fetch', '--no-log-file'],
    }),
  },
  {
    name: 'orval',
    packageName: 'orval',
    kind: 'generator',
    note: 'asks for a path only; `baseUrl` of its settings or your `fetch` adds the address',
    files: (made) => ({
      'orval.config.mjs': `export default ${json({
        fetch: { input: contractFile, output: { target: join(made, 'api.ts'), client: 'fetch' } },
        zod: { input: contractFile, output: { target: join(made, 'zod.ts'), client: 'zod' } },
      })}`,
    }),
    command: () => ({ bin: ['orval', 'orval'], args: ['--config', 'orval.config.mjs'] }),
  },
  {
    name: 'openapi-zod-client',
    packageName: 'openapi-zod-client',
    kind: 'generator',
    note: 'the `status` of an error is any integer; `code` is exact',
    command: ({ made }) => ({
      bin: ['openapi-zod-client', 'openapi-zod-client'],
      args: [contractFile, '-o', join(made, 'client.ts'), '--export-schemas'],
    }),
  },
  {
    name: 'typed-openapi',
    packageName: 'typed-openapi',
    kind: 'generator',
    note: 'the `status` in the body of an error is any number; `code` is exact',
    command: () => ({
      bin: ['typed-openapi', 'typed-openapi'],
      args: [contractFile, '-o', 'made/client.ts'],
    }),
  },
  {
    name: 'oazapfts',
    packageName: 'oazapfts',
    kind: 'generator',
    command: ({ made }) => ({ bin: ['oazapfts', 'oazapfts'], args: [contractFile, join(made, 'client.ts')] }),
  },
  {
    name: 'swagger-typescript-api',
    packageName: 'swagger-typescript-api',
    kind: 'generator',
    note: 'one type for the errors of all statuses',
    command: ({ made }) => ({
      bin: ['swagger-typescript-api', 'swagger-typescript-api'],
      args: ['generate', '-p', contractFile, '-o', made, '-n', 'api.ts'],
    }),
  },
  {
    name: 'RTK Query',
    packageName: '@rtk-query/codegen-openapi',
    kind: 'generator',
    note: 'types no errors',
    extra: ['rtk-query.base.ts'],
    files: (made) => ({
      'rtk.config.json': json({
        schemaFile: contractFile,
        apiFile: './rtk-query.base.ts',
        apiImport: 'emptyApi',
        outputFile: join(made, 'api.ts'),
        exportName: 'api',
        hooks: false,
      }),
    }),
    command: () => ({ bin: ['@rtk-query/codegen-openapi', 'rtk-query-codegen-openapi'], args: ['rtk.config.json'] }),
  },
  {
    name: 'feTS',
    packageName: 'fets',
    kind: 'generator',
    note: "takes no other address than the contract's own, and wants `Authorization` with each call",
    // It generates nothing, because its types are inferred from the document.
    command: ({ made }) => ({
      script: join(validators, 'asConst.mjs'),
      args: [contractFile, join(made, 'openapi.ts')],
    }),
  },
  {
    name: 'Kubb',
    packageName: '@kubb/cli',
    kind: 'generator',
    note: 'sends JSON without its media type: set the header `Content-Type`; reads a refused reply as a success',
    files: (made) => ({
      'kubb.config.mjs': [
        `import { defineConfig } from '@kubb/core';`,
        `import { pluginClient } from '@kubb/plugin-client';`,
        `import { pluginOas } from '@kubb/plugin-oas';`,
        `import { pluginTs } from '@kubb/plugin-ts';`,
        `import { pluginZod } from '@kubb/plugin-zod';`,
        'export default defineConfig({',
        `  root: '.',`,
        `  input: { path: ${JSON.stringify(contractFile)} },`,
        `  output: { path: ${JSON.stringify(made)}, format: false, lint: false },`,
        `  plugins: [pluginOas({ validate: false }), pluginTs(), pluginZod({ version: '3' }), pluginClient({ client: 'fetch', parser: 'zod' })],`,
        '});',
        '',
      ].join('\n'),
    }),
    command: () => ({ bin: ['@kubb/cli', 'kubb'], args: ['generate', '--config', 'kubb.config.mjs'] }),
  },
];

const validating: readonly Tool[] = [
  {
    name: 'swagger-parser',
    packageName: '@apidevtools/swagger-parser',
    kind: 'validator',
    command: () => ({ script: join(validators, 'swagger-parser.mjs'), args: [contractFile] }),
    result: /^valid$/m,
  },
  {
    name: "Spectral's defaults",
    packageName: '@stoplight/spectral-cli',
    isOwn: true,
    kind: 'validator',
    files: () => ({ 'spectral.yaml': 'extends: spectral:oas\n' }),
    command: () => ({
      ownBin: ['@stoplight/spectral-cli', 'spectral'],
      args: ['lint', contractFile, '--ruleset', 'spectral.yaml', '--fail-severity', 'error'],
    }),
    result: /\d+ problems? \(.*\)|No results .*$/m,
  },
  {
    name: "Redocly's defaults",
    packageName: '@redocly/cli',
    isOwn: true,
    kind: 'validator',
    files: () => ({ 'redocly.yaml': 'extends: [recommended]\n' }),
    command: () => ({ ownBin: ['@redocly/cli', 'redocly'], args: ['lint', contractFile, '--config', 'redocly.yaml'] }),
    result: /Your API description is valid/,
  },
  {
    name: 'hyperjump',
    packageName: '@hyperjump/json-schema',
    kind: 'validator',
    command: () => ({ script: join(validators, 'hyperjump.mjs'), args: [contractFile] }),
    result: /^\d+ of \d+ examples hold$/m,
  },
];

const collected: readonly Tool[] = [
  {
    name: 'Postman (newman)',
    packageName: 'newman',
    kind: 'collection',
    command: ({ made, base }) => ({
      bin: ['newman', 'newman'],
      args: [
        ...['run', join(collections, 'countersign.postman_collection.json'), '--env-var', `baseUrl=${base}`],
        ...['--reporters', 'json', '--reporter-json-export', join(made, 'report.json')],
      ],
    }),
  },
  {
    name: 'Bruno (bru)',
    packageName: '@usebruno/cli',
    kind: 'collection',
    command: ({ made, base }) => ({
      bin: ['@usebruno/cli', 'bru'],
      args: ['run', '-r', '--env-var', `baseUrl=${base}`, '--reporter-json', join(made, 'report.json')],
      cwd: join(collections, 'bruno'),
    }),
  },
];

export const tools: readonly Tool[] = [...generators, ...validating, ...collected];
