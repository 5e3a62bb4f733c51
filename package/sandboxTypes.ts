import type { BasicCredentials, ServiceClient } from '../generated/client.ts';
import type { PlatformCreateRequest } from '../generated/controlTypes.ts';
import type { SnapshotDocument, World, WorldName } from '../mocks/sandbox/worlds/shape.ts';
import type { ClientOptions, Control, Platform } from './steeringTypes.ts';

/** How a sandbox inside a program starts. Without options it is fresh, in memory, and its clock runs. */
export interface EmbeddedOptions {
  /** `magic` (the default): the documented values pass. `real`: the checks of production. */
  readonly proofs?: 'magic' | 'real' | undefined;
  /**
   * The initial data of the platform that `sandbox:sandbox` opens: a world, a snapshot of a platform, or the name of a
   * world. `examples` has the contract's examples with their ids, and its clock stands still. Default: `ready-made`, a
   * small world.
   */
  readonly world?: World | SnapshotDocument | WorldName | undefined;
  /**
   * A whole number. Ids, secrets and sealing are derived from it. Time stands still at `frozenAt`, or at 2025-10-13 if
   * absent.
   */
  readonly seed?: number | undefined;
  /** Time stands still at this instant until you move it. */
  readonly frozenAt?: Date | undefined;
  /**
   * Compiles in advance what the first request would compile. The sandbox then opens up to a second later, once for
   * each process or page. Use it for tests that time their requests.
   */
  readonly warm?: boolean | undefined;
  /** Receives the sandbox's own faults (a reply 500 or 503). If absent, they go to `console.error`. */
  readonly onFault?: ((message: string, facts: Readonly<Record<string, unknown>>) => void) | undefined;
}

/** Options on Node, where a sandbox can keep its state in a file or a database, and can listen. */
export interface SandboxOptions extends EmbeddedOptions {
  /** An SQLite file that keeps the state. Its folder is created if it is missing. Without a file nothing is kept. */
  readonly file?: string | undefined;
  /** A PostgreSQL database instead of `file`: `postgres://user:password@host/name`. Several sandboxes may share it. */
  readonly database?: string | undefined;
  /** Required to listen beyond this machine. Requests without a platform's credentials must then send it. */
  readonly controlToken?: string | undefined;
  /** Origins whose web pages may call it when it listens, besides pages of this machine: `https://app.example`. */
  readonly allowOrigins?: readonly string[] | undefined;
  /** Host names that it accepts when it listens, besides those of this machine: `host.docker.internal`. */
  readonly allowHosts?: readonly string[] | undefined;
}

/** Options in a page or a worker, where the browser can keep the state. */
export interface BrowserSandboxOptions extends EmbeddedOptions {
  /**
   * The name under which the browser keeps the state over reloads, in IndexedDB. Only one page or worker at a time can
   * use a name. Without a name nothing is kept.
   */
  readonly keepAs?: string | undefined;
}

/** Where to listen. */
export interface ListenOptions {
  /** 0 (the default) chooses any free port. */
  readonly port?: number | undefined;
  /** `localhost` (the default): this machine only, on both of its loopback addresses. */
  readonly host?: string | undefined;
}

/** A sandbox that no other one shares data with. */
export interface EmbeddedSandbox {
  /**
   * The base address with its version. It works with {@link fetch} at any time, and for other programs when it listens.
   */
  readonly url: string;
  /**
   * Answers a request in process, whether the sandbox listens or not. It uses only the path of an absolute address.
   * `/customers` means `url + '/customers'`, and `/__sandbox/…` the control surface. It works without `this`.
   */
  readonly fetch: (input: Request | URL | string, init?: RequestInit) => Promise<Response>;
  /** The token of the initial platform, `sandbox:sandbox`. */
  readonly credentials: BasicCredentials;
  /** Steers the initial platform: clock, faults, outbox, journal and everything else of the control surface. */
  readonly control: Control;
  /** A client of the interface, connected to this sandbox. It uses `sandbox:sandbox` unless you say otherwise. */
  client(options?: ClientOptions): ServiceClient;
  /**
   * Creates another platform, separate from all others, with its client, control and credentials. It is empty unless
   * you say otherwise.
   * @throws ControlError for a world that the interface would refuse.
   */
  platform(request?: PlatformCreateRequest): Promise<Platform>;
  /** Resets the platform of `sandbox:sandbox` to its initial state: data, clock and everything else. */
  reset(): Promise<void>;
  /**
   * Moves that platform's clock forward. What is due by then happens.
   * @throws Error for a negative number.
   */
  advance(seconds: number): Promise<void>;
  /**
   * Finishes the requests in flight, then frees port, file or name. It answers no further request. Closing again does
   * nothing.
   */
  close(): Promise<void>;
}

/** A sandbox on Node, where it can listen. */
export interface Sandbox extends EmbeddedSandbox {
  /**
   * Also listens on a port, and returns its base address, which is the `url` from then on.
   * @throws Error if it already listens, if the port isn't available (`code` is Node's: `EADDRINUSE`, …), and for a
   * host beyond this machine without a `controlToken`.
   */
  listen(options?: ListenOptions): Promise<string>;
}
