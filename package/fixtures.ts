/**
 * What the fixtures of all test frameworks share: one sandbox for each worker, and in it one platform for each test.
 */
import type { ServiceClient } from '../generated/client.ts';
import type { PlatformCreateRequest } from '../generated/controlTypes.ts';
import type { WantedCode } from './codes.ts';
import { createSandbox } from './sandbox.ts';
import { type SignedIn, type SignInOptions, signIn } from './signIn.ts';
import { baseUrlOf, ControlError, createControl } from './steering.ts';
import type { Control, Platform } from './steeringTypes.ts';

/** Where the tests' sandbox is. */
export interface SandboxPlace {
  /**
   * The address of a running sandbox that workers share. Default: `COUNTERSIGN_URL`; without it, each worker opens a
   * sandbox.
   */
  readonly sandboxUrl?: string | undefined;
  /** The control token that the sandbox was started with; `CONTROL_TOKEN` if absent. */
  readonly controlToken?: string | undefined;
}

/** The sandbox of a worker. */
export interface WorkerSandbox {
  /** The base address of the interface, with its version. An app in another process calls the sandbox there. */
  readonly url: string;
  /** Sends a request to the sandbox. */
  readonly fetch: (request: Request) => Promise<Response>;
  platform(request?: PlatformCreateRequest): Promise<Platform>;
  close(): Promise<void>;
}

/** The fixtures of a test. */
export interface PlatformFixtures {
  /** A platform that no other test sees. */
  readonly platform: Platform;
  /** The client of the interface, as that platform. */
  readonly client: ServiceClient;
  /** Steers that platform. */
  readonly control: Control;
  /** Its clock: `await clock.advance(301)`. */
  readonly clock: Control['clock'];
  /**
   * Returns the newest one-time code for an address or a wallet: `await codes({ to: 'ada@example.com' })`. Waits if
   * there is none.
   */
  readonly codes: (wanted?: WantedCode) => Promise<string>;
  /** A wallet whose customer is signed in. */
  readonly signIn: (options?: SignInOptions) => Promise<SignedIn>;
}

/** Opens the sandbox of a worker. @throws Error if a sandbox is expected at an address and doesn't answer */
export async function openWorkerSandbox(place: SandboxPlace = {}): Promise<WorkerSandbox> {
  const sandboxUrl = place.sandboxUrl ?? (process.env['COUNTERSIGN_URL'] || undefined);
  if (sandboxUrl === undefined) {
    const sandbox = await createSandbox();
    // The app's code may run in another process.
    const url = await sandbox.listen();
    return { url, fetch: sandbox.fetch, platform: sandbox.platform, close: sandbox.close };
  }
  const controlToken = place.controlToken ?? (process.env['CONTROL_TOKEN'] || undefined);
  const control = createControl({ url: sandboxUrl, controlToken });
  // Fails here rather than in the first test, and the message says what to do.
  await control.health.get();
  return {
    url: baseUrlOf(sandboxUrl),
    fetch: (request) => fetch(request),
    platform: control.platform,
    close: async () => {},
  };
}

/** Makes the fixtures of a test from its platform. */
export function fixturesOf(platform: Platform): PlatformFixtures {
  const { control } = platform;
  return {
    platform,
    client: platform.client(),
    control,
    clock: control.clock,
    codes: control.outbox.code,
    signIn: (options) => signIn(platform, options),
  };
}

/** Ends a test's platform. The test may have ended it itself. */
export async function endPlatform({ close }: Platform): Promise<void> {
  await close().catch((error: unknown) => {
    if (!(error instanceof ControlError && error.status === 401)) throw error;
  });
}
