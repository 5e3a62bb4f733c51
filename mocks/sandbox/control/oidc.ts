import { localIssuer } from '../proofs/claims.ts';
import { issuerKey } from '../proofs/local.ts';
import { Problem } from '../tools/problem.ts';
import { bodyReader, type ControlRoute, type OpenCall } from './route.ts';

const readClaims = bodyReader<Readonly<Record<string, unknown>>>({
  type: 'object',
  required: ['sub'],
  properties: { sub: { type: 'string', minLength: 1, maxLength: 255 } },
});

/** How long a token of the local issuer is good for, in seconds. */
const lifetimeSeconds = 3600;

/**
 * `/oidc/*`: an issuer per platform, so that OIDC sign-in runs offline in `real` proofs (D59). Its documents are public,
 * as an issuer's are; minting a token needs MANAGE.
 */
export const oidcRoutes: readonly ControlRoute[] = [
  {
    method: 'POST',
    path: '/oidc/token',
    needs: 'manager',
    async handle({ request, requester, parts }) {
      const claims = await readClaims(request);
      const { platformId } = requester;
      const { SignJWT } = await import('jose');
      const { privateJwk } = issuerKey(parts.derive, platformId);
      const issuer = localIssuer(request.origin, platformId);
      return parts.units
        .run(platformId, async (unit) => {
          const now = Math.floor(unit.now() / 1000);
          const [aud = 'countersign-app'] = unit.state.audiences;
          return { now, aud };
        })
        .then(async ({ now, aud }) => {
          const payload = { iss: issuer, aud, iat: now, exp: now + lifetimeSeconds, ...claims };
          const header = { alg: 'ES256', kid: privateJwk.kid ?? '' };
          return {
            status: 201,
            body: { issuer, idToken: await new SignJWT(payload).setProtectedHeader(header).sign(privateJwk) },
          };
        });
    },
  },
  {
    method: 'GET',
    path: '/oidc/{platformId}/.well-known/openid-configuration',
    needs: 'anyone',
    async handle(call) {
      const platformId = await mustExist(call);
      const issuer = localIssuer(call.request.origin, platformId);
      const body = {
        issuer,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ['id_token'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['ES256'],
      };
      return { status: 200, body };
    },
  },
  {
    method: 'GET',
    path: '/oidc/{platformId}/jwks',
    needs: 'anyone',
    handle: async (call) => ({ status: 200, body: issuerKey(call.parts.derive, await mustExist(call)).publicSet }),
  },
];

async function mustExist({ path, parts }: OpenCall): Promise<string> {
  const { platformId = '' } = path;
  if (await parts.units.exists(platformId)) return platformId;
  throw new Problem('NOT_FOUND', 'No platform has this issuer.');
}
