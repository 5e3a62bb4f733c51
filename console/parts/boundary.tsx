import { Component, type ReactNode } from 'react';
import { version } from '../../generated/operations.ts';
import { readPlace } from '../platform/router.tsx';
import { Code } from './code.tsx';

interface Props {
  /** What failed, as the subject of the message: `This view`. */
  readonly what: string;
  /** If this changes, the content is drawn again. */
  readonly at?: string;
  readonly children: ReactNode;
}

interface Failed {
  readonly at: string | undefined;
  readonly error?: unknown;
}

/** Shows an error of its content in the content's place. Everything around it stays. */
export class Boundary extends Component<Props, Failed> {
  override state: Failed = { at: this.props.at };

  static getDerivedStateFromError(error: unknown): Partial<Failed> {
    return { error };
  }

  static getDerivedStateFromProps({ at }: Props, failed: Failed): Failed | null {
    return at === failed.at ? null : { at, error: undefined };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <div role="alert" className="failure">
        <p>
          <strong>{this.props.what} failed.</strong> The sandbox may have been updated since you opened this page, so
          reload it first. If that doesn't help, report the failure with this text:
        </p>
        <Code label="Text for a report" text={writeReport(this.props.what, error)} />
        <button type="button" onClick={() => location.reload()}>
          Reload the page
        </button>
      </div>
    );
  }
}

/** What a report needs. It holds no credentials and no data of the platform, except the id in the address. */
function writeReport(what: string, error: unknown): string {
  const { view, id } = readPlace(location.href);
  const { name, message, stack = '' } = error instanceof Error ? error : new Error(String(error));
  const calls = stack.split('\n').filter((line) => /^\s*at |@/.test(line));
  return [
    `${what} failed in the Countersign console, contract ${version}`,
    `View: /${[view, id].filter(Boolean).join('/')}`,
    `Error: ${name}: ${message}`,
    ...calls.slice(0, 6).map((line) => line.replaceAll(location.origin, '')),
    `Browser: ${navigator.userAgent}, language ${navigator.language}`,
  ].join('\n');
}
