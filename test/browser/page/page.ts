/**
 * A wallet's page as an app would write it, with the client helpers, the generated client, and the app's own backend.
 */
import {
  assertionOptions,
  createServiceClient,
  createWalletKeys,
  openSessionKey,
  passkeyToAssertion,
  passkeyToCredential,
  type RetryHeaders,
  type SessionKey,
  sessionSigner,
  signedRetry,
} from '../../../client/index.ts';
import type { AuthMethod } from '../../../generated/types.ts';

/** The backend's data for a user who has signed in to the app. */
export interface SignedInUser {
  /** The app's own token. The page never has a token of the service. */
  readonly accessToken: string;
  readonly accountId: string;
}

/** The backend's data for registering a passkey. */
export interface Registration {
  readonly options: PublicKeyCredentialCreationOptionsJSON;
}

interface Passkey {
  readonly credential: AuthMethod;
  /** The key of the session that the page opened. */
  sessionKey?: SessionKey;
}

/** Runs a step and returns a sentence with its result. */
type Run = () => Promise<string>;

let showExchange: (line: { method: string; path: string; status: number }) => void = () => {};

const user: SignedInUser = await ask('/sign-in');
const client = createServiceClient({
  baseUrl: `${location.origin}/relay`,
  credentials: { accessToken: user.accessToken },
  async fetch(request) {
    const response = await fetch(request);
    const path = decodeURIComponent(new URL(request.url).pathname)
      .replace('/relay', '')
      .replace(/:[\w-]+(?=\w{4})/, ':…');
    showExchange({ method: request.method, path, status: response.status });
    return response;
  },
});

async function ask<T>(path: string): Promise<T> {
  const response = await fetch(path, { method: 'POST' });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return (await response.json()) as T;
}

/** Makes a passkey and registers it. If the wallet already has a credential, a session must sign. */
async function register(nickname: string, kind: AuthenticatorAttachment, signingKey?: SessionKey): Promise<Passkey> {
  const { options } = await ask<Registration>('/registration');
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON({
    ...options,
    authenticatorSelection: { authenticatorAttachment: kind },
  });
  const passkey = await navigator.credentials.create({ publicKey });
  const body = passkeyToCredential(passkey, { accountId: user.accountId, nickname, challenge: options.challenge });
  const call = (header: RetryHeaders) => client.POST('/auth/credentials', { params: { header }, body });
  const answer = signingKey === undefined ? await call({}) : await signedRetry(call, sessionSigner(signingKey));
  return { credential: need(answer) as AuthMethod };
}

async function signIn(passkey: Passkey): Promise<string> {
  const keys = await createWalletKeys();
  const path = { id: passkey.credential.id };
  const body = { clientPublicKey: keys.publicKeyHex };
  const issued = need(await client.POST('/auth/credentials/{id}/challenge', { params: { path }, body }));
  if (!('challenge' in issued)) throw new Error('This is not the challenge of a passkey.');
  const assertion = passkeyToAssertion(await navigator.credentials.get({ publicKey: assertionOptions(issued) }));
  const session = need(
    await client.POST('/auth/credentials/{id}/verify', {
      params: { path, header: { 'Request-Id': issued.requestId } },
      body: { type: 'PASSKEY', assertion },
    }),
  );
  passkey.sessionKey = await openSessionKey(session.encryptedSessionSigningKey, keys);
  return "The session's signing key is open, and stays in this page.";
}

async function revoke(passkey: Passkey, signingKey: SessionKey): Promise<string> {
  const { id, nickname } = passkey.credential;
  const { response, error } = await signedRetry(
    (header) => client.DELETE('/auth/credentials/{id}', { params: { path: { id }, header } }),
    sessionSigner(signingKey),
  );
  if (response.status !== 204) throw new Error(JSON.stringify(error));
  return `"${nickname}" is revoked, and the session it issued has ended.`;
}

async function signWithEnded(signingKey: SessionKey): Promise<string> {
  const body = { type: 'EMAIL_OTP' as const, accountId: user.accountId };
  const { error } = await signedRetry(
    (header) => client.POST('/auth/credentials', { params: { header }, body }),
    sessionSigner(signingKey),
  );
  if (error === undefined || !('reason' in error)) throw new Error('It was not refused as a wrong signature is.');
  return `Refused, as it must be: "${error.reason}".`;
}

async function showWhatIsLeft(): Promise<string> {
  const params = { query: { accountId: user.accountId } };
  const credentials = need(await client.GET('/auth/credentials', { params }));
  const sessions = need(await client.GET('/auth/sessions', { params }));
  const names = (list: readonly { nickname: string }[]) => list.map(({ nickname }) => `"${nickname}"`).join(', ');
  return `Credentials: ${names(credentials.data)}. Sessions issued by: ${names(sessions.data)}.`;
}

function need<T>(outcome: { data?: T; error?: unknown }): NonNullable<T> {
  if (outcome.data === undefined || outcome.data === null) throw new Error(JSON.stringify(outcome.error));
  return outcome.data;
}

let first: Passkey | undefined;
let second: Passkey | undefined;

/** The result of an earlier step. */
function made<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('Run the steps above first.');
  return value;
}

const steps: readonly (readonly [title: string, run: Run])[] = [
  [
    'Register a passkey on this laptop',
    async () => {
      first = await register('Laptop', 'platform');
      return `"${first.credential.nickname}" is the wallet's first credential.`;
    },
  ],
  ['Sign in with it', () => signIn(made(first))],
  [
    'Add a security key',
    async () => {
      second = await register('Security key', 'cross-platform', made(first?.sessionKey));
      return `"${second.credential.nickname}" is added, by a stamp of the laptop's session.`;
    },
  ],
  ['Sign in with the security key', () => signIn(made(second))],
  ['Revoke the laptop', () => revoke(made(first), made(second?.sessionKey))],
  ['Sign with the session that has ended', () => signWithEnded(made(first?.sessionKey))],
  ['See what is left', showWhatIsLeft],
];

function element<E extends Element = HTMLElement>(parent: ParentNode, selector: string): E {
  const found = parent.querySelector<E>(selector);
  if (found === null) throw new Error(`The page has no ${selector}.`);
  return found;
}

for (const [title, run] of steps) {
  const item = element(element<HTMLTemplateElement>(document, 'template').content.cloneNode(true) as Element, 'li');
  const show = (state: string, outcome = ''): void => {
    item.dataset['state'] = state;
    element(item, '.state').textContent = state;
    element(item, '.outcome').textContent = outcome;
  };
  element(item, 'h2').textContent = title;
  element(item, 'button').addEventListener('click', async () => {
    show('running');
    showExchange = ({ method, path, status }) => {
      const line = document.createElement('li');
      const strong = document.createElement('b');
      strong.textContent = String(status);
      line.append(strong, ` ${method} ${path}`);
      element(item, '.exchanges').append(line);
    };
    try {
      show('done', await run());
    } catch (error) {
      show('failed', String(error));
    }
  });
  show('waiting');
  element(document, 'ol').append(item);
}
