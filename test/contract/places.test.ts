/**
 * Promise: a problem in a bundle is reported at its place in the source files: file, line, and the affected operations.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import bundle from '../../generated/openapi.json' with { type: 'json' };
import type { ContractDocument } from '../../scripts/lib/contract.ts';
import { createLocator, inBrackets, operationsAt } from '../../scripts/lib/places.ts';
import { projectRoot } from '../../scripts/lib/project.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';

const files = {
  'api/root.yaml': `openapi: 3.1.0
paths:
  /things:
    $ref: things.yaml
  /inline:
    parameters:
      - name: a
        in: query
components:
  schemas:
    Own:
      type: object
`,
  'api/things.yaml': `get:
  responses:
    '200':
      content:
        application/json:
          schema:
            $ref: schemas/Thing.yaml
post:
  requestBody:
    $ref: 'parts.yaml#/bodies/NewThing'
`,
  'api/schemas/Thing.yaml': `type: object
properties:
  size:
    type: integer
  owner:
    $ref: '../root.yaml#/components/schemas/Own'
`,
  'api/parts.yaml': `bodies:
  NewThing:
    required: true
`,
  'api/whole.json': '{\n  "openapi": "3.1.0",\n  "paths": {\n    "/a~b": {}\n  }\n}\n',
};

function writeFiles(): string {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

describe('places', () => {
  test.each([
    ['', 'api/root.yaml', 1],
    ['/paths/~1things', 'api/things.yaml', 1],
    ['/paths/~1things/get/responses/200', 'api/things.yaml', 3],
    ['/paths/~1things/get/responses/200/content/application~1json/schema/properties/size', 'api/schemas/Thing.yaml', 3],
    ['/paths/~1things/post/requestBody/required', 'api/parts.yaml', 3],
    ['/paths/~1inline/parameters/0/in', 'api/root.yaml', 8],
    ['/components/schemas/Own/type', 'api/root.yaml', 12],
    ['/components/schemas/Thing/properties/size/type', 'api/schemas/Thing.yaml', 4],
    ['/components/requestBodies/NewThing/required', 'api/parts.yaml', 3],
    // A removed element is at the nearest remaining one.
    ['/components/schemas/Thing/properties/gone/maxLength', 'api/schemas/Thing.yaml', 2],
    ['/paths/~1gone/get', 'api/root.yaml', 2],
  ])('%s is in %s, line %i', (pointer, file, line) => {
    const place = createLocator(writeFiles(), 'api/root.yaml')(pointer);
    // A reference is followed if the pointer continues behind it.
    const isReference = pointer === '/paths/~1things';
    expect(place).toEqual(isReference ? { file: 'api/root.yaml', line: 3 } : { file, line });
  });

  test('JSON has lines too; what is nowhere has no place', () => {
    const folder = writeFiles();
    expect(createLocator(folder, 'api/whole.json')('/paths/~1a~0b')).toEqual({ file: 'api/whole.json', line: 4 });
    expect(createLocator(folder, 'api/root.yaml')('/components/schemas/Nobody')).toBeUndefined();
    expect(createLocator(folder, 'api/none.yaml')('/paths')).toBeUndefined();
  });

  test('every component and operation of our contract is found', () => {
    const locate = createLocator(projectRoot, 'openapi/openapi.yaml');
    const { paths, components } = bundle as unknown as { paths: object; components: Record<string, object> };
    const pointers = [
      ...Object.entries(paths).flatMap(([path, item]) =>
        Object.keys(item).map((method) => `/paths/${path.replaceAll('/', '~1')}/${method}`),
      ),
      ...Object.entries(components).flatMap(([section, named]) =>
        Object.keys(named).map((name) => `/components/${section}/${name}`),
      ),
    ];
    expect(pointers.length).toBeGreaterThan(300);
    const lost = pointers.filter((pointer) => locate(pointer) === undefined);
    expect(lost).toEqual([]);
  });
});

describe('operations', () => {
  const concerned = operationsAt(bundle as unknown as ContractDocument);

  test('a part gives all that reach it, a path all of its own', () => {
    expect(concerned('/paths/~1tokens/get/responses/200')).toEqual(['listTokens']);
    expect(concerned('/paths/~1tokens')).toEqual(['listTokens', 'createToken']);
    expect(concerned('/components/schemas/TokenCreateRequest/properties/name')).toEqual(['createToken']);
    expect(concerned('/components/schemas/ApiError').length).toBeGreaterThan(60);
    expect(concerned('/info/version')).toEqual([]);
  });

  test('many are shown in few words', () => {
    expect(inBrackets([])).toBe('');
    expect(inBrackets(['a', 'b'])).toBe(' (a, b)');
    expect(inBrackets(['a', 'b', 'c', 'd', 'e'])).toBe(' (a, b, c and 2 more)');
  });
});
