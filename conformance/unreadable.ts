/** Why a file can't be judged as a recording, and what to do about it. */
export class UnreadableRecording extends Error {
  /** What to do, as a sentence. */
  readonly remedy: string;

  constructor(message: string, remedy: string) {
    super(message);
    this.remedy = remedy;
  }
}

export const exportAgain = 'Export the recording again, as HAR 1.2.';
