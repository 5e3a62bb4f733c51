/** The public types for steering a sandbox. */
import type { BasicCredentials, BearerCredentials, ServiceClient, ServiceClientOptions } from '../generated/client.ts';
import type { CallOptions, ControlCalls } from '../generated/controlCalls.ts';
import type { Clock, HarFile, Journal, PlatformCreateRequest } from '../generated/controlTypes.ts';
import type { WantedCode } from './codes.ts';

/** Which sandbox to steer, and with whose credentials. */
export interface ControlOptions extends Pick<ServiceClientOptions, 'fetch'> {
  /** The address of the sandbox: `http://localhost:4010`, with or without the version of its interface behind it. */
  readonly url: string;
  /**
   * A token of the platform to steer, with the permission MANAGE. If absent, `sandbox:sandbox` of the initial platform.
   */
  readonly credentials?: BasicCredentials | undefined;
  /** The token that the sandbox was started with (`--control-token`). A sandbox on this machine needs none. */
  readonly controlToken?: string | undefined;
}

/** The credentials that a client calls with. */
export interface ClientOptions {
  /** Another API token, an agent's access token, or null for none. If absent, the platform's own token. */
  readonly credentials?: BasicCredentials | BearerCredentials | null | undefined;
}

/**
 * Steers a platform. It has every operation of the control surface by group and name, and shortcuts for what tests do
 * most. A call that fails rejects with a {@link ControlError}.
 */
export interface Control extends Omit<ControlCalls, 'clock' | 'journal' | 'outbox'> {
  readonly clock: ControlCalls['clock'] & {
    /** Moves the clock forward. What is due by then happens with the next request. */
    advance(seconds: number, options?: CallOptions): Promise<Clock>;
    /** Stops time, or lets it run again. */
    freeze(isFrozen?: boolean, options?: CallOptions): Promise<Clock>;
    /** Sets the clock to an instant that isn't in the past: a clock never goes back. */
    set(instant: Date | string, options?: CallOptions): Promise<Clock>;
  };
  readonly journal: Omit<ControlCalls['journal'], 'get'> & {
    /** The latest exchanges of the platform, newest first. */
    get(query?: { readonly limit?: number | undefined }, options?: CallOptions): Promise<Journal>;
    /** The same as an HTTP Archive, oldest first. `countersign check` judges it. */
    har(query?: { readonly limit?: number | undefined }, options?: CallOptions): Promise<HarFile>;
  };
  readonly outbox: ControlCalls['outbox'] & {
    /**
     * Returns the newest one-time code, optionally for an address or a wallet. Waits if there is none yet. Magic proofs
     * send no codes, so there it returns the code that every wallet accepts.
     * @throws Error if no code arrives in time.
     */
    code(wanted?: WantedCode, options?: CallOptions): Promise<string>;
  };
  /** A client of the interface, with the credentials of this platform unless you say otherwise. */
  client(options?: ClientOptions): ServiceClient;
  /** Creates another platform, separate from all others: one for each test, or for each worker. */
  platform(request?: PlatformCreateRequest): Promise<Platform>;
}

/** A separate platform in a shared sandbox. */
export interface Platform {
  readonly platformId: string;
  readonly proofs: 'magic' | 'real';
  /** The base address of the interface, with its version. */
  readonly url: string;
  /** Its first token, which has every permission. */
  readonly credentials: BasicCredentials;
  readonly control: Control;
  /** A client of the interface, with the platform's credentials unless you say otherwise. */
  client(options?: ClientOptions): ServiceClient;
  /** Ends the platform with all its data. Ending it again does nothing. */
  close(): Promise<void>;
}
