/** What the fixtures of every test framework share: one sandbox for a worker, and in it a platform for each test. */
import type { ServiceClient } from '../generated/client.ts';
import type { PlatformCreateRequest } from '../generated/controlTypes.ts';
import type { WantedCode } from './codes.ts';
import { createSandbox } from './sandbox.ts';
import { type SignedIn, type SignInOptions, signIn } from './signIn.ts';
import { baseUrlOf, ControlError, createControl } from './steering.ts';
import type { Control, Platform } from './steeringTypes.ts';

/** Where the sandbox is that tests use. */
export interface SandboxPlace {
  /** The address of a running sandbox that workers share. Default: `COUNTERSIGN_URL`; without it, each worker opens its own. */
  readonly sandboxUrl?: string | undefined;
  /** The token that it was started with; `CONTROL_TOKEN` if absent. */
  readonly controlToken?: string | undefined;
}

/** The sandbox of a worker. */
export interface WorkerSandbox {
  /** The base address of the interface, with its version: an app in another process finds it there. */
  readonly url: string;
  /** Sends a request to it. */
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
  /** The newest one-time code, to an address or a wallet: `await codes({ to: 'ada@example.com' })`. Waits for the first. */
  readonly codes: (wanted?: WantedCode) => Promise<string>;
  /** A wallet whose customer is signed in. */
  readonly signIn: (options?: SignInOptions) => Promise<SignedIn>;
}

/** Opens the sandbox of a worker. @throws Error if none answers where one is to be. */
export async function openWorkerSandbox(place: SandboxPlace = {}): Promise<WorkerSandbox> {
  const sandboxUrl = place.sandboxUrl ?? (process.env['COUNTERSIGN_URL'] || undefined);
  if (sandboxUrl === undefined) {
    const sandbox = await createSandbox();
    // An app's code may run in another process.
    const url = await sandbox.listen();
    return { url, fetch: sandbox.fetch, platform: sandbox.platform, close: sandbox.close };
  }
  const controlToken = place.controlToken ?? (process.env['CONTROL_TOKEN'] || undefined);
  const control = createControl({ url: sandboxUrl, controlToken });
  // Here rather than in the first test, and with what to do.
  await control.health.get();
  return {
    url: baseUrlOf(sandboxUrl),
    fetch: (request) => fetch(request),
    platform: control.platform,
    close: async () => {},
  };
}

/** What a platform gives to its test. */
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

/** Ends a test's platform, which the test may have ended itself. */
export async function endPlatform({ close }: Platform): Promise<void> {
  await close().catch((error: unknown) => {
    if (!(error instanceof ControlError && error.status === 401)) throw error;
  });
}
