/** The place and the level of an annotation in GitHub Actions. */
export interface AnnotationPlace {
  readonly level?: 'error' | 'warning' | 'notice';
  readonly file?: string;
  readonly line?: number | null;
  readonly title: string;
}

/** Writes a line of output that GitHub shows at a line of a file. */
export function annotation({ level = 'error', file, line, title }: AnnotationPlace, text: string): string {
  const properties = [
    ...(file === undefined ? [] : [`file=${property(file)}`]),
    ...(typeof line === 'number' ? [`line=${line}`] : []),
    `title=${property(title)}`,
  ];
  return `::${level} ${properties.join(',')}::${escaped(text)}`;
}

// The escapes of workflow commands: https://github.com/actions/toolkit, packages/core/src/command.ts.
function escaped(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return escaped(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
