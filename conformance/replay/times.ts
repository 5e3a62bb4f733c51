/** Compares times of a recording and of a replay. */

const timeForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** Whether a text is a time in the interface's format. */
export function isTime(text: string): boolean {
  return timeForm.test(text) && !Number.isNaN(Date.parse(text));
}

/** How the replay's time relates to the recording's. */
export interface Times {
  /** Whether two times are the same, each on its own clock. */
  agree(recorded: string, ours: string): boolean;
  /** The time on the replay's clock for a recorded time. A time far from the recording stays unchanged. */
  move(recorded: string): string;
}

const day = 24 * 60 * 60 * 1000;
const year = 366 * day;

/**
 * @param shiftMs how far the replay's clock is ahead of the recording's; undefined if it can't be moved.
 * @param start when the recording started.
 * @param slackMs how long the recorded service may have taken for one request.
 */
export function createTimes(shiftMs: number | undefined, start: number, slackMs: number): Times {
  return {
    agree(recorded, ours) {
      if (shiftMs === undefined) return true;
      const [was, is] = [Date.parse(recorded), Date.parse(ours)];
      // A time at midnight follows the calendar, like the rates of a day. It doesn't move with the clock.
      return Math.abs(is - shiftMs - was) <= slackMs || (is % day === 0 && was % day === 0);
    },
    move(recorded) {
      const at = Date.parse(recorded);
      if (shiftMs === undefined || shiftMs === 0 || Math.abs(at - start) > year) return recorded;
      return new Date(at + shiftMs).toISOString();
    },
  };
}
