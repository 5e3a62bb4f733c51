import type { Client } from 'openapi-fetch';
import {
  type BasicCredentials,
  type ClientFailure,
  createServiceClient,
  type ServiceClientOptions,
} from '../../generated/client.ts';
import type { paths } from '../../generated/controlTypes.ts';

/** The sandbox's address and the caller's credentials. */
export interface ControlClientOptions extends Pick<ServiceClientOptions, 'fetch'> {
  /**
   * The address of the sandbox, for example `http://localhost:4010`. The base address of its interface
   * (`http://localhost:4010/2025-10-13`) or of its control surface works too.
   */
  readonly baseUrl: string;
  /**
   * For operations on a platform: that platform's token with MANAGE. For the operator's operations: the token that the
   * sandbox was started with (`--control-token`). The operator needs none if only this machine can connect.
   */
  readonly credentials?: BasicCredentials | ControlTokenCredentials | undefined;
}

export interface ControlTokenCredentials {
  readonly controlToken: string;
}

/** The control surface's paths. Each operation may also end in a `ClientFailure`. */
export type ControlPaths = {
  [Path in keyof paths]: {
    [Method in keyof paths[Path]]: WithClientFailure<paths[Path][Method]>;
  };
};

/** A typed client for every operation of the control surface: paths, parameters, bodies and replies. */
export type ControlClient = Client<ControlPaths>;

type WithClientFailure<Operation> = Operation extends { responses: infer Responses }
  ? {
      [Key in keyof Operation]: Key extends 'responses'
        ? Responses & { '5XX': { headers: Record<string, unknown>; content: { 'application/json': ClientFailure } } }
        : Operation[Key];
    }
  : Operation;

/**
 * Makes a client for a sandbox's control surface. Its calls resolve like those of `createServiceClient`. Metrics are
 * text: pass `parseAs: 'text'` with `GET /metrics`.
 *
 * @throws TypeError if the `clientId` contains a colon, which HTTP Basic can't carry (RFC 7617, section 2).
 */
export function createControlClient({ baseUrl, credentials, fetch }: ControlClientOptions): ControlClient {
  const root = baseUrl.replace(/\/+$/, '').replace(/\/(?:\d{4}-\d{2}-\d{2}|__sandbox)$/, '');
  // Both clients share one implementation. Only the types of the paths differ.
  const client: unknown = createServiceClient({
    baseUrl: `${root}/__sandbox`,
    ...(credentials && { credentials: toBearer(credentials) }),
    ...(fetch && { fetch }),
  });
  return client as ControlClient;
}

function toBearer(credentials: BasicCredentials | ControlTokenCredentials) {
  return 'controlToken' in credentials ? { accessToken: credentials.controlToken } : credentials;
}
