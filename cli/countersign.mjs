#!/usr/bin/env node
import { lifecycle } from '../mocks/lifecycle.mjs';
import '../mocks/node24.mjs';
import { existsSync } from 'node:fs';

// The repository runs its source; an installed package has it built, because Node strips no types in node_modules.
const source = new URL('./main.ts', import.meta.url);
const { main } = await import(existsSync(source) ? source.href : '../dist/cli/main.js');
process.exitCode = await main(lifecycle, process.argv.slice(2));
