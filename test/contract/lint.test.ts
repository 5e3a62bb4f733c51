/**
 * The promise: the linter enforces every house rule that is written down. Each rule has a fixture that breaks only this
 * rule, the linter reports it at the marked lines, and the README lists exactly the existing rules.
 */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { isMap, isScalar, isSeq, LineCounter, parse, parseDocument } from 'yaml';
import { pointerKeys } from '../../contract/pointer.ts';
import { findUnfounded } from '../../scripts/check/basis.ts';
import { compareDecisions } from '../../scripts/check/decisions.ts';

const root = join(import.meta.dirname, '../..');
const fixtures = join(root, 'openapi/lint/fixtures');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** The names of the rules that a linter's configuration switches on. */
const switchedOn = (rules: Record<string, unknown>) => Object.keys(rules).filter((name) => rules[name] !== 'off');

const spectralConfig = parse(read('.spectral.yaml'));
const houseRules = switchedOn(spectralConfig.rules);
const sourceRules = switchedOn(parse(read('redocly.yaml')).rules);
const files = readdirSync(fixtures).filter((name) => name.endsWith('.yaml'));

/** A linter's finding in a fixture. */
interface Finding {
  rule: string;
  line?: number;
}

/** Runs a command-line tool of the project and returns its output. A linter that finds faults exits with 1. */
function run(script: string, args: string[]): Promise<string> {
  const options = { cwd: root, maxBuffer: 2 ** 26, env: { ...process.env, REDOCLY_TELEMETRY: 'off' } };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [join(root, 'node_modules', script), ...args], options, (error, stdout, stderr) => {
      if (error !== null && error.code !== 1) reject(new Error(stderr, { cause: error }));
      else resolve(stdout);
    });
  });
}

/** Lints fixtures like the bundle: one run for all, with warnings. */
async function spectral(names: string[]): Promise<Map<string, Finding[]>> {
  const paths = names.map((name) => join(fixtures, name));
  const output = await run('@stoplight/spectral-cli/dist/index.js', ['lint', ...paths, '-f', 'json', '--quiet']);
  const results: { code: string; source: string; range: { start: { line: number } } }[] = JSON.parse(output);
  const findings = new Map<string, Finding[]>(names.map((name) => [name, []]));
  for (const { code, source, range } of results) {
    findings.get(basename(source))?.push({ rule: code, line: range.start.line + 1 });
  }
  return findings;
}

/** Lints fixtures like the source. Redocly prints one JSON document after another, one per file. */
async function redocly(names: string[]): Promise<Map<string, Finding[]>> {
  const paths = names.map((name) => join(fixtures, name));
  const output = await run('@redocly/cli/bin/cli.js', ['lint', ...paths, '--format', 'json']);
  const reports = output.split(/(?<=^\})(?=\{)/m).map((text) => JSON.parse(text));
  return new Map(
    names.map((name, i) => [name, reports[i].problems.map(({ ruleId }: { ruleId: string }) => ({ rule: ruleId }))]),
  );
}

/** The lines of a fixture that are marked as faulty. */
const faultyLines = (name: string) =>
  readFileSync(join(fixtures, name), 'utf8')
    .split(/\r?\n/)
    .flatMap((line, i) => (line.endsWith('# fault') ? [i + 1] : []));

/** The first cells of the table under a heading of openapi/README.md, without their backquotes. */
function firstCells(heading: string): string[] {
  const section =
    read('openapi/README.md')
      .split(/^## /m)
      .find((text) => text.startsWith(heading)) ?? '';
  return [...section.matchAll(/^\| *`?([^|`]+?)`? *\|/gm)].map((match) => match[1] ?? '').slice(2);
}

describe('house rules on the bundle (Spectral)', () => {
  let findings = new Map<string, Finding[]>();
  beforeAll(async () => {
    findings = await spectral(['good.yaml', ...houseRules.map((rule) => `${rule}.yaml`)]);
  }, 60_000);

  it('find nothing in the good fixture', () => {
    expect(findings.get('good.yaml')).toEqual([]);
  });

  it.each(houseRules)('%s fires at each marked line of its fixture, and nothing else does', (rule) => {
    const found = findings.get(`${rule}.yaml`) ?? [];
    expect([...new Set(found.map((finding) => finding.rule))]).toEqual([rule]);
    const lines = new Set(found.map((finding) => finding.line ?? 0));
    expect([...lines].sort((a, b) => a - b)).toEqual(faultyLines(`${rule}.yaml`));
  });
});

describe('rules on the source (Redocly)', () => {
  let findings = new Map<string, Finding[]>();
  beforeAll(async () => {
    findings = await redocly(['good.yaml', ...sourceRules.map((rule) => `${rule}.yaml`)]);
  }, 60_000);

  it('find nothing in the good fixture', () => {
    expect(findings.get('good.yaml')).toEqual([]);
  });

  it.each(sourceRules)('%s fires on its fixture, and nothing else does', (rule) => {
    expect([...new Set((findings.get(`${rule}.yaml`) ?? []).map((finding) => finding.rule))]).toEqual([rule]);
  });
});

describe('the rules as written', () => {
  it('every fixture belongs to a rule', () => {
    const known = ['good', 'R28-everything-has-a-basis', ...houseRules, ...sourceRules].map((rule) => `${rule}.yaml`);
    expect(files.toSorted()).toEqual(known.toSorted());
  });

  it('openapi/README.md lists every rule once, in order', () => {
    const numbers = [...houseRules.map((rule) => rule.slice(0, 3)), 'R19', 'R25', 'R26', 'R27', 'R28'];
    expect(firstCells('House rules')).toEqual(numbers.sort());
  });

  it('openapi/README.md names every Redocly rule that is switched on', () => {
    const readme = read('openapi/README.md');
    expect(sourceRules.filter((rule) => !readme.includes(`\`${rule}\``))).toEqual([]);
  });

  it('the register of x- keys in openapi/README.md is the one that R14 holds', () => {
    const { register } = spectralConfig.rules['R14-extensions-are-registered'].then.functionOptions;
    expect(firstCells('Register of x- keys')).toEqual(register);
  });

  describe('R18 and R25: the decisions that the contract names are those of openapi/DECISIONS.md', () => {
    const none = { missing: [], unused: [], repeated: [] };
    const text = '# Decisions\n\n## D01 One\n\n## D02 Two, as D03 was\n\n## D10 Ten\n';
    const sound = { info: { 'x-decision': 'D02' }, paths: { '/a': { get: { 'x-decision': ['D01', 'D10'] } } } };

    it('in the real contract', () => {
      const decisions = read('openapi/DECISIONS.md');
      expect(compareDecisions(JSON.parse(read('generated/openapi.json')), decisions)).toEqual(none);
      expect(decisions).toMatch(/^## D01 /m);
    });

    it.each([
      ['nothing is wrong', sound, text, none],
      ['one that is not written', { ...sound, a: { 'x-decision': 'D03' } }, text, { ...none, missing: ['D03'] }],
      ['one that nothing names', { info: sound.info }, text, { ...none, unused: ['D01', 'D10'] }],
      [
        'one that only an x-basis names',
        { ...sound, 'x-basis': { a: { b: ['D03'] } } },
        text,
        { ...none, missing: ['D03'] },
      ],
      ['one that is written twice', sound, `${text}\n## D01 Another\n`, { ...none, repeated: ['D01'] }],
    ])('%s', (_what, contract, decisions, faults) => {
      expect(compareDecisions(contract, decisions)).toEqual(faults);
    });
  });
});

describe('R28: everything that can be a finding is given, or rests on a decision', () => {
  const fixture = readFileSync(join(fixtures, 'R28-everything-has-a-basis.yaml'), 'utf8');

  it('fires at each marked line of its fixture, and nowhere else', () => {
    const lines = findUnfounded(parse(fixture)).map(({ pointer }) => lineOf(fixture, pointer));
    expect(lines.sort((a, b) => a - b)).toEqual(faultyLines('R28-everything-has-a-basis.yaml'));
  });

  it('finds nothing in the real contract, and everything in one that says nothing', () => {
    const contract = JSON.parse(read('generated/openapi.json'));
    expect(findUnfounded(contract)).toEqual([]);
    const silent = JSON.parse(read('generated/openapi.json'), (key, value) =>
      key === 'x-basis' || key === 'x-decision' ? undefined : value,
    );
    const components = Object.keys(contract.components.schemas);
    const found = new Set(findUnfounded(silent).map(({ pointer }) => pointer));
    expect(components.filter((name) => !found.has(`/components/schemas/${name}`))).toEqual([]);
  });

  it('a decision is needed for each part of a schema without a basis', () => {
    const contract = JSON.parse(read('generated/openapi.json'));
    delete contract.components.schemas.Quote['x-basis'];
    delete contract.components.schemas.Quote['x-decision'];
    expect(findUnfounded(contract)).toEqual([
      {
        pointer: '/components/schemas/Quote',
        message: 'Quote: say in x-basis that it is given, or which decisions it rests on.',
      },
    ]);
  });
});

/** The line of the key, or of the list item, that a pointer ends with. */
function lineOf(text: string, pointer: string): number {
  const counter = new LineCounter();
  let node: unknown = parseDocument(text, { lineCounter: counter }).contents;
  let place: unknown = node;
  for (const key of pointerKeys(pointer)) {
    const pair = isMap(node)
      ? node.items.find((item) => isScalar(item.key) && String(item.key.value) === key)
      : undefined;
    const item = isSeq(node) ? node.items[Number(key)] : pair?.value;
    place = pair?.key ?? item;
    node = item;
  }
  return counter.linePos((place as { range: [number] }).range[0]).line;
}
