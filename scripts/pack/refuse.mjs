// npm runs this before `npm pack` and `npm publish` in the repository (package.json, `prepack`), in syntax that any Node
// reads. Both would pack the README of the repository (pack.ts).
const { npm_command: command = 'pack', npm_package_version: version } = process.env;

// npm runs it before `npm run pack` too, because of the name.
if (!command.startsWith('run')) {
  const file = `countersign-${version}.tgz`;
  const next = command === 'publish' ? ` Then publish that file: npm publish ./${file}` : '';
  console.error(
    `npm ${command} would take the README of the repository. Run npm run pack, which writes ${file}.${next}`,
  );
  process.exitCode = 1;
}
