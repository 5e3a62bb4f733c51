import type { Report, Summary, Unreadable, Write } from './report.ts';

/** For a program: `{findings: [Finding], unreadable: [Unreadable], summary: Summary}`. */
export function createJsonReport<S = Summary>(write: Write): Report<S> {
  const unreadable: Unreadable[] = [];
  let separator = '';
  write('{"findings":[');
  return {
    finding(finding) {
      write(`${separator}\n${JSON.stringify(finding)}`);
      separator = ',';
    },
    unreadable: (one) => void unreadable.push(one),
    end(summary) {
      write(`\n],"unreadable":${JSON.stringify(unreadable)},"summary":${JSON.stringify(summary)}}\n`);
    },
  };
}
