/** Promise: a value is made once, and a failed attempt is tried again. */
import { expect, test } from 'vitest';
import { onceDone } from '../../contract/memoize.ts';

test("calls at the same time share one, each of them gets a failure, and it isn't kept", async () => {
  let made = 0;
  const get = onceDone(async () => {
    made += 1;
    if (made === 1) throw new Error('not yet');
    return made;
  });
  const first = await Promise.allSettled([get(), get()]);
  expect(first.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(made).toBe(1);
  expect(await Promise.all([get(), get()])).toEqual([2, 2]);
  expect(await get()).toBe(2);
});
