import type { BasicCredentials, ServiceClient } from '../generated/client.ts';
import type { PlatformCreateRequest } from '../generated/controlTypes.ts';
import type { SnapshotDocument, World, WorldName } from '../mocks/sandbox/worlds/shape.ts';
import type { ClientOptions, Control, Platform } from './steeringTypes.ts';

/** How a sandbox inside a program begins; without options it is fresh, in memory, and its clock runs. */
export interface EmbeddedOptions {
  /** `magic` (the default): the documented values pass. `real`: what production checks. */
  readonly proofs?: 'magic' | 'real' | undefined;
  /**
   * What is there at first, of the platform that `sandbox:sandbox` opens: a world, a snapshot that was taken of a
   * platform, or a world by its name. `examples` is what the contract's examples show, under their ids; its clock stands
   * still. Without it: `ready-made`, a small world.
   */
  readonly world?: World | SnapshotDocument | WorldName | undefined;
  /** A whole number. Ids, secrets and sealing follow from it, and time stands still at `frozenAt`, or at 2025-10-13. */
  readonly seed?: number | undefined;
  /** Time stands still at this instant until it is told to move. */
  readonly frozenAt?: Date | undefined;
  /**
   * Compiles what a first request would: up to a second of work before the sandbox is there, once for each process or page.
   * For tests that time their requests.
   */
  readonly warm?: boolean | undefined;
  /** Told of the sandbox's own faults (an answer 500 or 503); they go to `console.error` when absent. */
  readonly onFault?: ((message: string, facts: Readonly<Record<string, unknown>>) => void) | undefined;
}

/** The same on Node, where it can keep its state in a file or a database, and listen. */
export interface SandboxOptions extends EmbeddedOptions {
  /** An SQLite file that keeps the state; its folder is made if need be. Without it nothing is kept. */
  readonly file?: string | undefined;
  /** Instead of `file`, a PostgreSQL database, `postgres://user:password@host/name`, which others may share. */
  readonly database?: string | undefined;
  /** Needed to listen beyond this machine, and then asked for where no platform's credentials are. */
  readonly controlToken?: string | undefined;
  /** Origins whose web pages may call it once it listens, beside pages of this machine: `https://app.example`. */
  readonly allowOrigins?: readonly string[] | undefined;
  /** Host names that it answers to once it listens, beside those of this machine: `host.docker.internal`. */
  readonly allowHosts?: readonly string[] | undefined;
}

/** The same in a page or a worker, where the browser can keep its state. */
export interface BrowserSandboxOptions extends EmbeddedOptions {
  /**
   * A name that the state is kept under over reloads, in IndexedDB. One page or worker at a time may have a name. Without
   * it nothing is kept.
   */
  readonly keepAs?: string | undefined;
}

/** Where to listen. */
export interface ListenOptions {
  /** 0, the default, for any free one. */
  readonly port?: number | undefined;
  /** `localhost`, the default: this machine only, on both of its loopback addresses. */
  readonly host?: string | undefined;
}

/** A sandbox of one's own: no other sees what happens in it. */
export interface EmbeddedSandbox {
  /** The base address with its version: good for {@link fetch} at any time, and for everybody once it listens. */
  readonly url: string;
  /**
   * Answers a request in process, whether the sandbox listens or not. Only the path of an absolute address counts;
   * `/customers` stands for `url + '/customers'`, and `/__sandbox/…` for the control surface. It needs no `this`.
   */
  readonly fetch: (input: Request | URL | string, init?: RequestInit) => Promise<Response>;
  /** The token of the platform that is there at first, `sandbox:sandbox`. */
  readonly credentials: BasicCredentials;
  /** Steers that platform: clock, faults, outbox, journal and all else of the control surface. */
  readonly control: Control;
  /** A client of the interface, wired to this sandbox, as `sandbox:sandbox` unless told otherwise. */
  client(options?: ClientOptions): ServiceClient;
  /**
   * Makes a platform of its own, which no other one sees, with its client, control and credentials. It is empty unless told
   * otherwise.
   * @throws ControlError for a world that the interface would refuse.
   */
  platform(request?: PlatformCreateRequest): Promise<Platform>;
  /** Takes the platform of `sandbox:sandbox` to its first moment: world, clock and all. */
  reset(): Promise<void>;
  /**
   * Moves that platform's clock ahead; what is due by then happens.
   * @throws Error for a negative number.
   */
  advance(seconds: number): Promise<void>;
  /** Finishes what is in flight, then frees port, file or name. Nothing is answered any more; closing again does nothing. */
  close(): Promise<void>;
}

/** The same on Node, where it can listen. */
export interface Sandbox extends EmbeddedSandbox {
  /**
   * Puts it on a port too, and gives its base address, which is `url` from then on.
   * @throws Error when it listens already, when the port can't be had (`code` is Node's: `EADDRINUSE`, …), and for a
   * host beyond this machine without a `controlToken`.
   */
  listen(options?: ListenOptions): Promise<string>;
}
