/**
 * Promise: one table has all messages of the sandbox, the checks, the scripts and the commands, so that a changed
 * message can be compared with the others: what happened, the value, what to do. `npx vitest run
 * test/contract/messages.test.ts -u` writes the table again.
 */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the sources under test have them.
import { expect, test } from 'vitest';
import { projectRoot } from '../../scripts/lib/project.ts';
import { messagesIn, readMessages } from '../support/texts/messages.ts';

test('the table has every message of the source', async () => {
  const table = [...readMessages(projectRoot)].map(([file, messages]) => [file, ...messages].join('\n  '));
  await expect(`${table.join('\n\n')}\n`).toMatchFileSnapshot('messages.txt');
});

test.each([
  ['an error', "throw new WrongUse('There is no file.');", ['WrongUse: There is no file.']],
  ['values', 'throw new Error(`${path} is missing in ${a.b}`);', ['Error: {path} is missing in {a.b}']],
  ['a sum', "new TypeError('One ' + name + ' and ' + `two ${x}.`);", ['TypeError: One {name} and two {x}.']],
  [
    'a choice',
    "new Problem('CODE', is ? 'It is open.' : `It is ${b} shut.`);",
    ['Problem: It is open.', 'Problem: It is {b} shut.'],
  ],
  ['a refusal of a field', "throw invalidField('/a', 'is too long');", ['invalidField: is too long']],
  ['a property', "const a = { message: 'It went away.', name: 'not this one' };", ['message: It went away.']],
  ['no code', "new Map([['a b', 1]]); call('one two');", []],
])('it reads %s', (_what, source, messages) => {
  expect(messagesIn('a.ts', source)).toEqual(messages);
});
