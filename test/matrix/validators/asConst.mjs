/** `node asConst.mjs FILE OUT`: writes the contract as a TypeScript module whose values are types. */
import { readFileSync, writeFileSync } from 'node:fs';

const [, , from, to] = process.argv;
writeFileSync(to, `export default ${readFileSync(from, 'utf8').trim()} as const;\n`);
