import type { Client } from 'openapi-fetch';
import {
  type BasicCredentials,
  type ClientFailure,
  createServiceClient,
  type ServiceClientOptions,
} from '../../generated/client.ts';
import type { paths } from '../../generated/controlTypes.ts';

/** Which sandbox to steer, and as whom. */
export interface ControlClientOptions extends Pick<ServiceClientOptions, 'fetch'> {
  /**
   * The address of the sandbox, for example `http://localhost:4010`. The base address of its interface will do
   * (`http://localhost:4010/2025-10-13`), and so will that of its control surface.
   */
  readonly baseUrl: string;
  /**
   * A platform's token with MANAGE, for what acts on that platform; or the token that the sandbox was started with
   * (`--control-token`), for what is the operator's. The operator needs none where only this machine can connect.
   */
  readonly credentials?: BasicCredentials | ControlTokenCredentials | undefined;
}

export interface ControlTokenCredentials {
  readonly controlToken: string;
}

/** The control surface's paths, each operation also able to end in a `ClientFailure`. */
export type ControlPaths = {
  [Path in keyof paths]: {
    [Method in keyof paths[Path]]: WithClientFailure<paths[Path][Method]>;
  };
};

/** A client that knows every operation of the control surface: paths, parameters, bodies and replies are typed. */
export type ControlClient = Client<ControlPaths>;

type WithClientFailure<Operation> = Operation extends { responses: infer Responses }
  ? {
      [Key in keyof Operation]: Key extends 'responses'
        ? Responses & { '5XX': { headers: Record<string, unknown>; content: { 'application/json': ClientFailure } } }
        : Operation[Key];
    }
  : Operation;

/**
 * Makes a client of a sandbox's control surface. Calls end as those of `createServiceClient` do. Metrics are text: give
 * `parseAs: 'text'` with `GET /metrics`.
 *
 * @throws TypeError when the `clientId` contains a colon, which HTTP Basic cannot carry (RFC 7617, section 2).
 */
export function createControlClient({ baseUrl, credentials, fetch }: ControlClientOptions): ControlClient {
  const root = baseUrl.replace(/\/+$/, '').replace(/\/(?:\d{4}-\d{2}-\d{2}|__sandbox)$/, '');
  // One client for both: only the types of the paths differ.
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
