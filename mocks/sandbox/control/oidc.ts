import type { OidcKeySet } from '../../../generated/controlTypes.ts';
import { localIssuer } from '../proofs/claims.ts';
import { issuerKey } from '../proofs/local.ts';
import { Problem } from '../tools/problem.ts';
import type { ControlCall, ControlHandlers } from './route.ts';

/** The lifetime of a token of the local issuer, in seconds. */
const lifetimeSeconds = 3600;

/**
 * An issuer per platform, so that OIDC sign-in works offline with `real` proofs (D59). Its documents are public, like
 * every issuer's. Minting a token needs MANAGE.
 */
export const oidcHandlers = {
  createOidcToken: {
    async handle({ body: claims, request, requester, parts }) {
      const { platformId } = requester;
      const { SignJWT } = await import('jose');
      const { privateJwk } = issuerKey(parts.derive, platformId);
      const issuer = localIssuer(request.origin, platformId);
      const { now, aud } = await parts.units.run(platformId, async (unit) => {
        const [first = 'countersign-app'] = unit.state.audiences;
        return { now: Math.floor(unit.now() / 1000), aud: first };
      });
      const payload = { iss: issuer, aud, iat: now, exp: now + lifetimeSeconds, ...claims };
      const header = { alg: 'ES256', kid: privateJwk.kid ?? '' };
      const idToken = await new SignJWT(payload).setProtectedHeader(header).sign(privateJwk);
      return { status: 201, body: { issuer, idToken } };
    },
  },
  getOidcConfiguration: {
    async handle(call) {
      const platformId = await mustExist(call);
      const issuer = localIssuer(call.request.origin, platformId);
      const body = {
        issuer,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ['id_token' as const],
        subject_types_supported: ['public' as const],
        id_token_signing_alg_values_supported: ['ES256' as const],
      };
      return { status: 200, body };
    },
  },
  getOidcKeys: {
    async handle(call) {
      const { publicSet } = issuerKey(call.parts.derive, await mustExist(call));
      return { status: 200, body: publicSet as OidcKeySet };
    },
  },
} satisfies Pick<ControlHandlers, 'createOidcToken' | 'getOidcConfiguration' | 'getOidcKeys'>;

type IssuerCall = Pick<ControlCall<'getOidcKeys'>, 'path' | 'parts'>;

async function mustExist({ path: { platformId }, parts }: IssuerCall): Promise<string> {
  if (await parts.units.exists(platformId)) return platformId;
  throw new Problem('NOT_FOUND', 'No platform has this issuer.');
}
