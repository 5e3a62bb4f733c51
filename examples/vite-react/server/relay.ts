/**
 * The relay: the calls that a page may make to the service for its user. The page knows neither the token nor another
 * customer.
 */
import { createServiceClient, type TransferOutRequest } from 'countersign';
import express, { type Request, type Response, type Router } from 'express';
import type { ServiceSettings } from './settings.ts';

export interface RelaySettings extends ServiceSettings {
  /** The customer who sent this request, from your session. Undefined if nobody is signed in. */
  readonly customerOf: (request: Request) => string | undefined;
}

/** A reply to a signed-in user. */
type Reply = Response<unknown, { customerId: string }>;

/** Only the routes below go through. */
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
    // The service checks everything in it except the owner of the money, because the token may move any customer's
    // money.
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

/** Passes an answer of the service on. If the service gave no answer, it returns 502. */
function send(
  to: Response,
  { data, error, response }: { data?: unknown; error?: unknown; response: globalThis.Response },
) {
  to.status(response.status === 599 ? 502 : response.status).json(data ?? error);
}

/** Returns an error in the service's shape, so that the page reads all errors in the same way. */
function refuse(to: Response, status: number, message: string) {
  to.status(status).json({ status, code: 'APP', message });
}
