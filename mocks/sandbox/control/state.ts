import { checkLedger } from '../domains/accounts/procedures/accounts.ts';
import { outbox } from '../domains/auth/records.ts';
import type { ProofSettings } from '../proofs/proofs.ts';
import { effects } from '../registry/effects.ts';
import { settleDue } from '../steps/settleDue.ts';
import type { PlatformState } from '../store/units/platformState.ts';
import { toTimestamp } from '../tools/clock.ts';
import { bodyReader, type ControlRoute, changeState } from './route.ts';

const texts = { type: 'array', maxItems: 100, items: { type: 'string', minLength: 1, maxLength: 512 } };
const httpAddress = 'must be an address that begins with http:// or https://';

/** What a platform is set to, field by field. */
export const settingsFields = {
  proofs: { enum: ['magic', 'real'] },
  origins: texts,
  rpIds: texts,
  topOrigins: texts,
  audiences: texts,
  issuers: {
    type: 'array',
    maxItems: 100,
    items: {
      type: 'object',
      required: ['issuer'],
      minProperties: 2,
      maxProperties: 2,
      additionalProperties: false,
      'x-fault': 'must have issuer and one of jwks and jwksUri',
      properties: {
        issuer: { type: 'string', minLength: 1, maxLength: 512 },
        jwks: {
          type: 'object',
          required: ['keys'],
          properties: {
            keys: {
              type: 'array',
              maxItems: 100,
              items: { type: 'object', required: ['kty'], properties: { kty: { type: 'string' } } },
            },
          },
        },
        jwksUri: { type: 'string', format: 'uri', pattern: '^https?://', 'x-fault': httpAddress },
      },
    },
  },
};

const readSettings = bodyReader<Partial<ProofSettings>>({
  type: 'object',
  minProperties: 1,
  additionalProperties: false,
  properties: settingsFields,
});

/**
 * `GET|PUT /settings`, `GET /ledger`, `GET /outbox`: what a platform is set to, whether its
 * books are sound, and what it has sent.
 */
export const stateRoutes: readonly ControlRoute[] = [
  {
    method: 'GET',
    path: '/settings',
    needs: 'manager',
    handle: (call) => changeState(call, (state) => state, showSettings),
  },
  {
    method: 'PUT',
    path: '/settings',
    needs: 'manager',
    async handle(call) {
      const given = await readSettings(call.request);
      return changeState(call, (state) => ({ ...state, ...given }), showSettings);
    },
  },
  {
    method: 'GET',
    path: '/ledger',
    needs: 'manager',
    handle: ({ requester, parts }) =>
      parts.units.run(requester.platformId, async (unit) => {
        await settleDue(unit, effects);
        const { faults, places } = await checkLedger(unit);
        return { status: 200, body: { sound: faults.length === 0, faults, places } };
      }),
  },
  {
    method: 'GET',
    path: '/outbox',
    needs: 'manager',
    handle: ({ requester, parts }) =>
      parts.units.run(requester.platformId, async (unit) => {
        const { records } = await outbox.page(unit, { limit: outboxLimit, before: null, filters: {} });
        const data = records.map(({ to, code, accountId, sentAt }) => ({
          to,
          code,
          accountId,
          sentAt: toTimestamp(sentAt),
        }));
        return { status: 200, body: { data } };
      }),
  },
];

/** So many messages are shown, the newest. */
const outboxLimit = 100;

function showSettings({ proofs, origins, rpIds, topOrigins = [], issuers, audiences }: PlatformState): ProofSettings {
  return { proofs, origins, rpIds, topOrigins, issuers, audiences };
}
