import '../node24.mjs';

await import('./main.ts');
