/** Runs before every test file: each property of fast-check starts from the seed of the run, unless it names its own. */
import fc from 'fast-check';
import { seed } from './seed.ts';

fc.configureGlobal({ seed });
