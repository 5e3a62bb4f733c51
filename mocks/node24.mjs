// Imported first by each start.mjs, in syntax that any Node reads: it says which Node is needed before that Node's
// syntax comes.
import module from 'node:module';

const needed = 24;
if (Number(process.versions.node.split('.')[0]) < needed) {
  const commands = '"npm ci" and then "npm start", "npm run mock" or "npx countersign"';
  console.error(`Countersign needs Node ${needed}, this is ${process.versions.node}: run ${commands}, which bring it.`);
  process.exit(1);
}
module.enableCompileCache();
