import { clearTimeout, setTimeout } from '../node/machine/timers.ts';
import { Problem } from '../tools/problem.ts';

/** How long a unit waits for the end of a hold, in milliseconds. */
const patienceMs = 10_000;

/** What waits while long work holds a platform. */
interface Hold<Job> {
  readonly jobs: Set<Job>;
  /** Other long work on the same platform, in order. */
  readonly next: (() => void)[];
}

/** The platforms that long work holds, and the units that wait for its end. */
export class Holds<Job extends { readonly failed: (error: unknown) => void }> {
  readonly #holds = new Map<string, Hold<Job>>();
  readonly #timers = new Map<Job, ReturnType<typeof setTimeout>>();
  readonly #resume: (jobs: readonly Job[]) => void;

  /** @param resume gets the units that have waited, in order */
  constructor(resume: (jobs: readonly Job[]) => void) {
    this.#resume = resume;
  }

  /** Keeps a unit if its platform is held. @returns whether it is */
  keep(platformId: string, job: Job): boolean {
    const hold = this.#holds.get(platformId);
    if (hold === undefined) return false;
    hold.jobs.add(job);
    const giveUp = (): void => {
      hold.jobs.delete(job);
      this.#timers.delete(job);
      job.failed(busy());
    };
    this.#timers.set(job, setTimeout(giveUp, patienceMs));
    return true;
  }

  /** Holds the platform, after the work that holds it now. */
  async take(platformId: string): Promise<void> {
    const hold = this.#holds.get(platformId);
    if (hold === undefined) this.#holds.set(platformId, { jobs: new Set(), next: [] });
    else await new Promise<void>((resolve) => hold.next.push(resolve));
  }

  /** Ends a hold. Its units run before the next work. */
  release(platformId: string): void {
    const hold = this.#holds.get(platformId);
    if (hold === undefined) return;
    const jobs = [...hold.jobs];
    for (const job of jobs) {
      clearTimeout(this.#timers.get(job));
      this.#timers.delete(job);
    }
    hold.jobs.clear();
    this.#resume(jobs);
    const next = hold.next.shift();
    if (next === undefined) this.#holds.delete(platformId);
    else next();
  }
}

function busy(): Problem {
  const message =
    'A snapshot, restore or reset of this platform takes longer than this request could wait; nothing was carried out. Try again.';
  return new Problem('STORAGE_UNAVAILABLE', message, { headers: { 'Retry-After': '5' } });
}
