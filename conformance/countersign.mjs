#!/usr/bin/env node
import { existsSync } from 'node:fs';
import '../mocks/node24.mjs';

// The repository runs its source; an installed package has it built, because Node strips no types in node_modules.
const source = new URL('./cli.ts', import.meta.url);
await import(existsSync(source) ? source.href : '../dist/conformance/cli.js');
