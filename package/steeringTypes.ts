/** What steers a sandbox, as its users see it. */
import type { BasicCredentials, BearerCredentials, ServiceClient, ServiceClientOptions } from '../generated/client.ts';
import type { CallOptions, ControlCalls } from '../generated/controlCalls.ts';
import type { Clock, HarFile, Journal, PlatformCreateRequest } from '../generated/controlTypes.ts';
import type { WantedCode } from './codes.ts';

/** Which sandbox to steer, and as whom. */
export interface ControlOptions extends Pick<ServiceClientOptions, 'fetch'> {
  /** The address of the sandbox: `http://localhost:4010`, with or without the version of its interface behind it. */
  readonly url: string;
  /** A token of the platform to steer, with MANAGE; `sandbox:sandbox`, that of the platform that is there at first, if absent. */
  readonly credentials?: BasicCredentials | undefined;
  /** The token that the sandbox was started with (`--control-token`); a sandbox of this machine needs none. */
  readonly controlToken?: string | undefined;
}

/** The credentials that a client calls with. */
export interface ClientOptions {
  /** Another API token, an agent's access token, or null for none; the platform's own token if absent. */
  readonly credentials?: BasicCredentials | BearerCredentials | null | undefined;
}

/**
 * A platform, steered: every operation of the control surface by its group and name, and what tests do most. A call that
 * fails rejects with a {@link ControlError}.
 */
export interface Control extends Omit<ControlCalls, 'clock' | 'journal' | 'outbox'> {
  readonly clock: ControlCalls['clock'] & {
    /** Moves the clock ahead; what is due by then happens with the next request. */
    advance(seconds: number, options?: CallOptions): Promise<Clock>;
    /** Makes time stand still, or lets it run again. */
    freeze(isFrozen?: boolean, options?: CallOptions): Promise<Clock>;
    /** Goes to an instant that isn't past: a clock never goes back. */
    set(instant: Date | string, options?: CallOptions): Promise<Clock>;
  };
  readonly journal: Omit<ControlCalls['journal'], 'get'> & {
    /** The last exchanges of the platform, newest first. */
    get(query?: { readonly limit?: number | undefined }, options?: CallOptions): Promise<Journal>;
    /** The same as an HTTP Archive, oldest first: what `countersign check` judges. */
    har(query?: { readonly limit?: number | undefined }, options?: CallOptions): Promise<HarFile>;
  };
  readonly outbox: ControlCalls['outbox'] & {
    /**
     * The newest one-time code to an address or a wallet, or at all. If there is none yet, it waits for one. In magic
     * proofs, which send nothing, it is the code that every wallet takes.
     * @throws Error if none comes in time.
     */
    code(wanted?: WantedCode, options?: CallOptions): Promise<string>;
  };
  /** A client of the interface, with the credentials of this platform unless told otherwise. */
  client(options?: ClientOptions): ServiceClient;
  /** Makes a platform of its own, which no other one sees: one for each test, or for each worker. */
  platform(request?: PlatformCreateRequest): Promise<Platform>;
}

/** A platform of one's own in a sandbox that others use too. */
export interface Platform {
  readonly platformId: string;
  readonly proofs: 'magic' | 'real';
  /** The base address of the interface, with its version. */
  readonly url: string;
  /** Its first token, which has every permission. */
  readonly credentials: BasicCredentials;
  readonly control: Control;
  /** A client of the interface, with the platform's credentials unless told otherwise. */
  client(options?: ClientOptions): ServiceClient;
  /** Ends the platform with all its data. Ending it again does nothing. */
  close(): Promise<void>;
}
