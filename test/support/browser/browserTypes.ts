/** Type checks as an app's own bundler set-up makes them: the browser's types, and none of Node's. */
import ts from 'typescript';

/** The type errors of these modules and all they import, for a program that knows the browser and nothing of Node. */
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
