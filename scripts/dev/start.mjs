import { lifecycle } from '../../mocks/lifecycle.mjs';
import '../../mocks/node24.mjs';

const { main } = await import('./main.ts');
await main(lifecycle);
