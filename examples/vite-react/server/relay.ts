/**
 * The relay: what the page may ask the service for, as its user. The page knows neither the token nor another customer.
 */
import { createServiceClient, type TransferOutRequest } from 'countersign';
import express, { type Request, type Response, type Router } from 'express';
import type { ServiceSettings } from './settings.ts';

export interface RelaySettings extends ServiceSettings {
  /** The customer who sent this request, by your session. Undefined for somebody who isn't signed in. */
  readonly customerOf: (request: Request) => string | undefined;
}

/** A reply to somebody who is signed in. */
type Reply = Response<unknown, { customerId: string }>;

/** Only what is listed here goes through. */
export function createRelay({ customerOf, ...settings }: RelaySettings): Router {
  const service = createServiceClient(settings);
  const relay = express.Router();
  relay.use(express.json());

  relay.use((request, response: Reply, next) => {
    const customerId = customerOf(request);
    if (customerId === undefined) return refuse(response, 401, 'Sign in first.');
    response.locals.customerId = customerId;
    next();
  });

  relay.get('/customers/internal-accounts', async (_request, response: Reply) => {
    send(response, await service.GET('/customers/internal-accounts', { params: { query: response.locals } }));
  });

  relay.get('/customers/external-accounts', async (_request, response: Reply) => {
    send(response, await service.GET('/customers/external-accounts', { params: { query: response.locals } }));
  });

  relay.post('/transfer-out', async (request, response: Reply) => {
    const own = await service.GET('/customers/internal-accounts', { params: { query: response.locals } });
    if (own.error) return send(response, own);
    // The service checks what is in it, all but whose money it is: the token may move any customer's.
    const body: TransferOutRequest | undefined = request.body;
    if (body === undefined || !own.data.data.some(({ id }) => id === body.source?.accountId)) {
      return refuse(response, 403, 'This account is not yours.');
    }
    const header = { 'Idempotency-Key': request.get('Idempotency-Key') };
    send(response, await service.POST('/transfer-out', { params: { header }, body }));
  });

  relay.use((_request, response) => refuse(response, 404, 'This app does not do that.'));
  return relay;
}

/** Passes an answer on. What isn't an answer of the service's is a 502. */
function send(
  to: Response,
  { data, error, response }: { data?: unknown; error?: unknown; response: globalThis.Response },
) {
  to.status(response.status === 599 ? 502 : response.status).json(data ?? error);
}

/** In the service's shape, so that the page reads every refusal alike. */
function refuse(to: Response, status: number, message: string) {
  to.status(status).json({ status, code: 'APP', message });
}
