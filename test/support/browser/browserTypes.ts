/** Checks types like an app's own bundler: with the browser's types, and without Node's. */
import ts from 'typescript';

/** The type errors of these modules and all that they import, with the browser's types only. */
export function browserTypeErrors(files: readonly string[]): string[] {
  const program = ts.createProgram(files, {
    target: ts.ScriptTarget.ES2024,
    lib: ['lib.es2024.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: [],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    allowImportingTsExtensions: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    noEmit: true,
  });
  const errors = ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
  const ofNode = program.getSourceFiles().filter(({ fileName }) => fileName.includes('/@types/node/'));
  return [...errors, ...ofNode.map(({ fileName }) => `${fileName} is in the program`)];
}
