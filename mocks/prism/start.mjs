import { lifecycle } from '../lifecycle.mjs';
import '../node24.mjs';

const { main } = await import('./main.ts');
process.exitCode = await main(lifecycle, process.argv.slice(2));
