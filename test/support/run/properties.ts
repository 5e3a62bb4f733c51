/**
 * Runs before every test file. It makes each fast-check property start from the run's seed and try as many values as
 * the run's length says, unless the property sets its own.
 */
import fc from 'fast-check';
import { runs } from './length.ts';
import { seed } from './seed.ts';

fc.configureGlobal({ seed, numRuns: runs(100) });
