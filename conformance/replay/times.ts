/** Times of a recording and of a replay. */

const timeForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** Whether a text is a moment, as the interface writes them. */
export function isTime(text: string): boolean {
  return timeForm.test(text) && !Number.isNaN(Date.parse(text));
}

/** How the replay's time goes beside the recording's. */
export interface Times {
  /** Whether two moments are the same, each in its own time. */
  agree(recorded: string, ours: string): boolean;
  /** The moment of the replay's time at which the recorded one is. What lies far from the recording stays as it is. */
  move(recorded: string): string;
}

const day = 24 * 60 * 60 * 1000;
const year = 366 * day;

/**
 * @param shiftMs how far the replay's time is ahead of the recording's; undefined where its clock can't be moved.
 * @param start when the recording began.
 * @param slackMs how much the recorded service may have taken for one request.
 */
export function createTimes(shiftMs: number | undefined, start: number, slackMs: number): Times {
  return {
    agree(recorded, ours) {
      if (shiftMs === undefined) return true;
      const [was, is] = [Date.parse(recorded), Date.parse(ours)];
      // What goes by the calendar, as the rates of a day do, doesn't move with the clock.
      return Math.abs(is - shiftMs - was) <= slackMs || (is % day === 0 && was % day === 0);
    },
    move(recorded) {
      const at = Date.parse(recorded);
      if (shiftMs === undefined || shiftMs === 0 || Math.abs(at - start) > year) return recorded;
      return new Date(at + shiftMs).toISOString();
    },
  };
}
