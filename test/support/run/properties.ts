/** Runs before every test file: each property of fast-check starts from the seed of the run and is tried as often as its length
 * asks for, unless it names its own. */
import fc from 'fast-check';
import { runs } from './length.ts';
import { seed } from './seed.ts';

fc.configureGlobal({ seed, numRuns: runs(100) });
