import { pathToFileURL } from 'node:url';
import type { Notification, ReportingDescriptor, Result, Tool } from 'sarif';
import { version } from '../../generated/operations.ts';
import { describeBasis } from '../basis.ts';
import { describeRule, type RuleId } from '../rules/rule.ts';
import { type Finding, type Report, shortValue, type Unreadable, type Write } from './report.ts';

/**
 * For code scanning: writes SARIF 2.1.0. A result points at its file, entry and operation. The value is in the text.
 */
export function createSarifReport(write: Write): Report {
  const rules = new Set<RuleId>();
  const unreadable: Unreadable[] = [];
  let separator = '';
  write('{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"results":[');
  return {
    finding(finding) {
      rules.add(finding.rule);
      write(`${separator}\n${JSON.stringify(toResult(finding))}`);
      separator = ',';
    },
    unreadable: (one) => void unreadable.push(one),
    end() {
      const descriptors = [...rules].map(
        (id): ReportingDescriptor => ({ id, shortDescription: { text: describeRule(id) } }),
      );
      const tool: Tool = { driver: { name: 'countersign', version, rules: descriptors } };
      const notifications = unreadable.map(toNotification);
      const invocation = { executionSuccessful: unreadable.length === 0, toolExecutionNotifications: notifications };
      write(`\n],"tool":${JSON.stringify(tool)},"invocations":[${JSON.stringify(invocation)}]}]}\n`);
    },
  };
}

function toResult(finding: Finding): Result {
  const { file, entry, operationId, method, path, status, pointer, rule, message, value, basis, fails } = finding;
  const what = `${operationId ?? `${method} ${path}`} answered ${status}: ${finding.in} ${pointer} ${message}`;
  const at = `/log/entries/${entry.index}`;
  return {
    ruleId: rule,
    level: fails ? 'error' : 'note',
    message: { text: `${value === undefined ? what : `${what}: ${shortValue(value)}`} (${describeBasis(basis)})` },
    locations: [
      {
        physicalLocation: { artifactLocation: { uri: toUri(file) } },
        logicalLocations: [
          { fullyQualifiedName: at, name: String(entry.index), kind: 'element' },
          { fullyQualifiedName: `${finding.in}${pointer}`, kind: 'value' },
        ],
      },
    ],
    properties: { basis },
  };
}

function toNotification({ file, message, remedy }: Unreadable): Notification {
  return { level: 'error', message: { text: `${file} ${message}. ${remedy}` } };
}

/** Keeps a relative path relative, so that a code scanner finds the file in its checkout. */
function toUri(file: string): string {
  return file.startsWith('/') ? pathToFileURL(file).href : file.split(/[\\/]/).map(encodeURIComponent).join('/');
}
