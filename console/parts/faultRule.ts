import type { FaultRule } from '../../generated/controlTypes.ts';

/** Says what a fault rule does to a request. */
export function describeRule({ status, code, drop, delayMs }: FaultRule): string {
  const parts = [
    delayMs === undefined ? undefined : `waits ${delayMs} ms`,
    status === undefined ? undefined : `refused with ${status}${code === undefined ? '' : ` ${code}`}`,
    drop === undefined ? undefined : `the connection breaks ${drop} the work`,
  ];
  return parts.filter((part) => part !== undefined).join(', then ');
}
