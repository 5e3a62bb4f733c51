// The one file that any Node can read: it says which Node is needed before that Node's syntax comes.
import module from 'node:module';

const needed = 24;
if (Number(process.versions.node.split('.')[0]) < needed) {
  console.error(
    `Countersign needs Node ${needed}, this is ${process.versions.node}: run "npm ci && npm start", which bring it.`,
  );
  process.exit(1);
}
module.enableCompileCache();
await import('./main.ts');
