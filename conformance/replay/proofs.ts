/** Finds the codes and signatures in a request, and replaces them with new ones. */
import { disguise } from '../../contract/mask.ts';
import { headerValue } from '../../traffic/exchange.ts';
import type { Json } from './prover.ts';
import type { Asked, Scene } from './scene.ts';

const refusals = /^Invalid (?:OTP code|passkey signature|OIDC token|Service-Wallet-Signature)$/;

/** Whether the recorded reply refuses the proof. Then the replay must send a proof that is refused. */
export function isProofRefused({ exchange, got }: Asked): boolean {
  if (exchange.response.status !== 401) return false;
  const { code, reason } = (got ?? {}) as { code?: unknown; reason?: unknown };
  if (typeof reason === 'string') return refusals.test(reason);
  return code === undefined || code === 'UNAUTHORIZED';
}

/** @returns the body with its proofs, or why one can't be made */
export async function proveBody(
  body: unknown,
  asked: Asked,
  scene: Scene,
): Promise<{ readonly body: unknown } | string> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return { body };
  const proved: Record<string, unknown> = { ...body };
  const { prover, wallets } = scene;
  const isRefused = isProofRefused(asked);
  const credential = wallets.credential(pathIdOf(asked, scene, 'AuthMethod') ?? '');
  if (typeof proved['clientPublicKey'] === 'string') {
    const recorded = proved['clientPublicKey'];
    proved['clientPublicKey'] = await prover.publicKey(recorded);
    if (proved['clientPublicKey'] !== recorded) scene.learnt.note(recorded, String(proved['clientPublicKey']));
  }
  if (isJson(proved['attestation'])) {
    const attestation = withCredentialId(proved['attestation'], scene);
    const name = String(attestation['credentialId']);
    proved['attestation'] = await prover.attestation(attestation, name, String(proved['challenge'] ?? ''));
  }
  if (isJson(proved['assertion'])) {
    const assertion = withCredentialId(proved['assertion'], scene);
    const name = credential?.credentialId ?? String(assertion['credentialId']);
    const challenge = wallets.challenge(requestIdOf(asked, scene) ?? '');
    const made = isRefused ? assertion : await prover.assertion(assertion, name, challenge);
    if (made === undefined) return 'needs an assertion of a passkey that the recording has not registered';
    proved['assertion'] = made;
  }
  if (typeof proved['otp'] === 'string' && !isRefused) {
    const code = await prover.code(credential?.accountId);
    if (code === undefined) return 'needs a one-time code, and none was sent to that wallet';
    proved['otp'] = code;
  }
  if (typeof proved['oidcToken'] === 'string' && !isRefused) {
    const recorded = proved['oidcToken'];
    const isSignIn = asked.operation?.id === 'verifyCredential' || credential !== undefined;
    const nickname = credential?.nickname ?? nicknameFor(asked, scene);
    const make = isSignIn ? prover.signInToken : prover.registrationToken;
    const token = await make(recorded, nickname);
    if (token === undefined) return 'needs an OIDC token, which only a control surface can make';
    proved['oidcToken'] = token;
  }
  return { body: proved };
}

/** Adds a wallet's signature to the headers. @returns why it can't be made; undefined if it could */
export async function proveSignature(headers: Headers, asked: Asked, scene: Scene): Promise<string | undefined> {
  if (!headers.has('Service-Wallet-Signature') || isProofRefused(asked)) return undefined;
  const { wallets, prover } = scene;
  const about = pathIdOf(asked, scene, 'AuthMethod');
  const payload = wallets.payload(headers.get('Request-Id') ?? pathIdOf(asked, scene, 'Quote') ?? '');
  const signature = await prover.signature(payload, { accountId: accountIn(payload), about });
  if (signature === undefined) return 'needs the signature of a session, and none of that wallet has been opened';
  headers.set('Service-Wallet-Signature', signature);
  return undefined;
}

function accountIn(payload: string | undefined): string | undefined {
  const [, accountId] = /"accountId":"(InternalAccount:[^"]+)"/.exec(payload ?? '') ?? [];
  return accountId;
}

/** The id of that type in the path, as it is sent. */
function pathIdOf({ match }: Asked, { learnt }: Scene, type: string): string | undefined {
  if (match.kind !== 'operation') return undefined;
  const found = Object.values(match.path).find((value) => value.startsWith(`${type}:`));
  return found === undefined ? undefined : learnt.inPlace(found);
}

function requestIdOf({ exchange }: Asked, { learnt }: Scene): string | undefined {
  const recorded = headerValue(exchange.request.headers, 'Request-Id');
  return recorded === undefined ? undefined : learnt.inPlace(recorded);
}

/** The nickname, in the recording, of the credential that the request registers. */
function nicknameFor({ sent, got }: Asked, { recordedWallets }: Scene): string {
  const { nickname } = (got ?? {}) as { nickname?: unknown };
  if (typeof nickname === 'string') return nickname;
  const { accountId } = sent as { accountId?: unknown };
  const found = recordedWallets.credentials().find((one) => one.type === 'OAUTH' && one.accountId === accountId);
  return found?.nickname ?? 'replay@example.com';
}

/** The id in a passkey's response is masked. Other replies of the recording show it. */
function withCredentialId(response: Json, { recordedWallets, learnt }: Scene): Json {
  const masked = String(response['credentialId']);
  const shown = recordedWallets
    .credentials()
    .find(({ credentialId }) => credentialId !== undefined && disguise(credentialId) === masked);
  return shown?.credentialId === undefined
    ? response
    : { ...response, credentialId: learnt.inPlace(shown.credentialId) };
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
