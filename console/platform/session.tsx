import createQueryClient, { type OpenapiQueryClient } from 'openapi-react-query';
import { createContext, type ReactNode, useContext } from 'react';
import { watchPath } from '../../contract/match.ts';
import {
  type BasicCredentials,
  createServiceClient,
  type ServiceClient,
  type ServicePaths,
} from '../../generated/client.ts';
import { type ControlClient, type ControlPaths, createControlClient } from '../../generated/controlClient.ts';
import { version } from '../../generated/operations.ts';
import type { Connection } from './connection.ts';

/** A platform, and the clients that call with its credentials. */
export interface Session {
  readonly credentials: BasicCredentials;
  /** The sandbox's address. The base paths of its contracts follow it. */
  readonly origin: string;
  /** Whether only pages of this browser reach the sandbox. Then no shell command reaches it. */
  readonly isInPage: boolean;
  /** The base address of the interface. */
  readonly baseUrl: string;
  /** What a button sends: traffic like that of an app. */
  readonly service: Omit<ServiceClient, 'GET'>;
  /** Reads the interface without a trace: no read uses up a fault or is in the journal. */
  readonly watch: Pick<ServiceClient, 'GET'>;
  readonly control: ControlClient;
  /** The same reads as hooks. */
  readonly serviceQuery: OpenapiQueryClient<ServicePaths>;
  readonly controlQuery: OpenapiQueryClient<ControlPaths>;
  /** Sends a request with the credentials of the platform. */
  send(request: Request): Promise<Response>;
  /** Sends a request with its own credentials. */
  sendAs(request: Request): Promise<Response>;
  /** Reads the contract that the sandbox serves. */
  readContract(): Promise<unknown>;
}

export function openSession(connection: Connection, credentials: BasicCredentials): Session {
  const { origin, isInPage } = connection;
  const { fetch } = connection;
  const baseUrl = `${origin}/${version}`;
  const watch = createServiceClient({ baseUrl: `${origin}${watchPath}/${version}`, credentials, fetch });
  const control = createControlClient({ baseUrl: origin, credentials, fetch });
  return {
    credentials,
    origin,
    isInPage,
    baseUrl,
    service: createServiceClient({ baseUrl, credentials, fetch }),
    watch,
    control,
    serviceQuery: createQueryClient(watch),
    controlQuery: createQueryClient(control),
    async send(request) {
      const { clientId, clientSecret } = credentials;
      const bytes = new TextEncoder().encode(`${clientId}:${clientSecret}`);
      request.headers.set('Authorization', `Basic ${btoa(String.fromCharCode(...bytes))}`);
      return fetch(request);
    },
    sendAs: fetch,
    readContract: connection.readContract,
  };
}

const Context = createContext<Session | undefined>(undefined);

export function SessionProvider({ session, children }: { readonly session: Session; readonly children: ReactNode }) {
  return <Context value={session}>{children}</Context>;
}

export function useSession(): Session {
  const session = useContext(Context);
  if (session === undefined) throw new Error('There is no session here.');
  return session;
}

const key = 'countersign-console';

/** The credentials in this tab, until it is closed or the user signs out. */
export const keptCredentials = {
  read(): BasicCredentials | undefined {
    try {
      const kept: unknown = JSON.parse(sessionStorage.getItem(key) ?? 'null');
      const { clientId, clientSecret } = (kept ?? {}) as Partial<BasicCredentials>;
      return typeof clientId === 'string' && typeof clientSecret === 'string' ? { clientId, clientSecret } : undefined;
    } catch {
      return undefined;
    }
  },
  write(credentials: BasicCredentials | undefined): void {
    if (credentials === undefined) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(credentials));
  },
};
