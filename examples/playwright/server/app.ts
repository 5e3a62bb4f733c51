/** The app's server: it serves the page, holds the API token, and relays the calls for its user's wallet. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import express, { type Express, type Request, type Response } from 'express';

export interface AppSettings {
  /** The service's base address, with its version. */
  readonly baseUrl: string;
  readonly credentials: { readonly clientId: string; readonly clientSecret: string };
  /** The wallet of this example's only user. */
  readonly accountId: string;
}

/** Only these calls go through. The wallet's owner signs changes of the wallet, in the page. */
const relayed = /^\/(?:auth\/credentials(?:\/[^/]+\/(?:challenge|verify))?|internal-accounts\/[^/]+)$/;
/** The headers that a signed retry needs, in addition to the body. */
const passedOn = ['content-type', 'request-id', 'service-wallet-signature'];

export function createApp({ baseUrl, credentials, accountId }: AppSettings): Express {
  // A challenge protects only if the server that made it checks for it.
  const challenges = new Set<string>();
  const pair = Buffer.from(`${credentials.clientId}:${credentials.clientSecret}`);
  const authorization = `Basic ${pair.toString('base64')}`;
  const app = express();

  app.post('/user', (_request, response) => {
    const challenge = randomBytes(32).toString('base64url');
    challenges.add(challenge);
    response.json({ accountId, options: creationOptions(challenge) });
  });

  app.use('/api', express.text({ type: 'application/json' }), async (request: Request, response: Response) => {
    if (!relayed.test(request.path)) return refuse(response, 404, 'This app does not do that.');
    const body: string | undefined = typeof request.body === 'string' ? request.body : undefined;
    const challenge = challengeIn(body);
    if (challenge !== undefined && !challenges.delete(challenge)) return refuse(response, 400, 'Start again.');
    const headers = new Headers({ authorization });
    for (const name of passedOn) {
      const value = request.get(name);
      if (value !== undefined) headers.set(name, value);
    }
    const { method, url } = request;
    const answer = await fetch(baseUrl + url, { method, headers, body: body ?? null });
    response.status(answer.status).type(answer.headers.get('content-type') ?? 'json');
    response.send(Buffer.from(await answer.arrayBuffer()));
  });

  app.use(express.static(join(import.meta.dirname, '../dist')));
  return app;
}

/** The registration's challenge in a body, if there is one. */
function challengeIn(body: string | undefined): string | undefined {
  try {
    const value: unknown = JSON.parse(body ?? '');
    return typeof value === 'object' && value !== null && 'challenge' in value ? String(value.challenge) : undefined;
  } catch {
    return undefined;
  }
}

function creationOptions(challenge: string): PublicKeyCredentialCreationOptionsJSON {
  return {
    challenge,
    rp: { id: 'localhost', name: 'Wallet' },
    user: { id: randomBytes(16).toString('base64url'), name: 'amara@example.com', displayName: 'Amara' },
    pubKeyCredParams: [-7, -8, -257].map((alg) => ({ type: 'public-key', alg })),
  };
}

/** Returns an error in the service's shape, so that the page reads all errors in the same way. */
function refuse(response: Response, status: number, message: string): void {
  response.status(status).json({ status, code: 'APP', message });
}
