/** Why a file isn't a recording that can be judged, and what to do about it. */
export class UnreadableRecording extends Error {
  /** A sentence: what to do. */
  readonly remedy: string;

  constructor(message: string, remedy: string) {
    super(message);
    this.remedy = remedy;
  }
}

export const exportAgain = 'Export the recording again, as HAR 1.2.';
