/** Promise: a second stateless mock on the same port reports that it is taken. SIGTERM stops the first like Ctrl-C. */
import { expect, it } from 'vitest';
import { run } from '../support/process/process.ts';

const entry = 'cli/countersign.mjs mock';

it('says that a port is taken, and ends with 0 when it is told to stop', async () => {
  const started = run(entry, ['--port', '0']);
  const [, port = ''] = await started.waitFor(/ready at http:\/\/[^:]+:(\d+)/);
  const second = run(entry, ['--port', port]);
  expect(await second.exit).toBe(2);
  expect(second.output()).toMatch(/^Port \d+ is taken\. .*--port \d+.*\n$/);
  started.child.kill('SIGTERM');
  expect(await started.exit).toBe(0);
});
