/**
 * Planted edits of the real contract, each with the rating of `redocly diff` alone and with ours. They touch different
 * places, so that one comparison can contain them all.
 */
import type { Level } from '../../scripts/diff/change.ts';

// biome-ignore lint/suspicious/noExplicitAny: an edit may change any part of the document
type Document = any;

export interface Edit {
  readonly name: string;
  readonly edit: (contract: Document) => void;
  /** Where its changes are found, in either bundle: pointers or prefixes of pointers. */
  readonly at: readonly string[];
  /** The worst rating of the tool alone; `silent` if it reports nothing. */
  readonly tool: 'major' | 'minor' | 'patch' | 'silent';
  /** Our worst rating; `unchanged` if we report nothing. */
  readonly ours: Level | 'unchanged';
  /** The part of our code that makes the difference. Without it the tool is right. */
  readonly by?: string;
}

const schemas = '/components/schemas';
const schema = ({ components }: Document, name: string): Document => components.schemas[name];
const field = (contract: Document, name: string, property: string): Document =>
  schema(contract, name).properties[property];

/** The schema to which an error response narrows `ApiError`. */
const errorOf = ({ components }: Document, name: string): Document =>
  components.responses[name].content['application/json'].schema.allOf[1].properties;

function rename(contract: Document, from: string, to: string): void {
  const moved = JSON.parse(JSON.stringify(contract).replaceAll(`schemas/${from}"`, `schemas/${to}"`));
  moved.components.schemas[to] = moved.components.schemas[from];
  delete moved.components.schemas[from];
  Object.assign(contract, moved);
}

const breaking: Edit[] = [
  {
    name: 'case 115: a new enum value in AgentAction.status',
    edit: (c) => schema(c, 'AgentActionStatus').enum.push('CANCELLED'),
    at: [`${schemas}/AgentActionStatus/enum`],
    tool: 'major',
    ours: 'breaking',
  },
  {
    name: 'case 115: a new required request field',
    edit: (c) => {
      schema(c, 'TokenCreateRequest').required.push('purpose');
      schema(c, 'TokenCreateRequest').properties.purpose = { type: 'string', maxLength: 80 };
    },
    at: [`${schemas}/TokenCreateRequest`],
    tool: 'major',
    ours: 'breaking',
  },
  {
    name: 'case 115: a lower maximum',
    edit: (c) => {
      c.components.parameters.Limit.schema.maximum = 50;
    },
    at: ['/components/parameters/Limit'],
    tool: 'major',
    ours: 'breaking',
  },
  {
    name: 'a field made required in a request',
    edit: (c) => schema(c, 'ExternalAccountCreateRequest').required.push('customerId'),
    at: [`${schemas}/ExternalAccountCreateRequest`],
    tool: 'major',
    ours: 'breaking',
  },
  {
    name: 'a field of a reply that may be absent now',
    edit: (c) => schema(c, 'Quote').required.pop(),
    at: [`${schemas}/Quote/required`],
    tool: 'major',
    ours: 'breaking',
  },
  {
    name: 'an operation removed',
    edit: (c) => {
      delete c.paths['/tokens/{tokenId}'].delete;
    },
    at: ['/paths/~1tokens~1{tokenId}/delete'],
    tool: 'major',
    ours: 'breaking',
  },
  {
    name: 'a path removed',
    edit: (c) => {
      delete c.paths['/uma-providers'];
    },
    at: ['/paths/~1uma-providers'],
    tool: 'major',
    ours: 'breaking',
  },
  {
    name: 'an enum value that a request may not have any more',
    edit: (c) => schema(c, 'PurposeOfPayment').enum.pop(),
    at: [`${schemas}/PurposeOfPayment`],
    tool: 'major',
    ours: 'breaking',
  },
  {
    name: 'a parameter removed',
    edit: (c) => c.paths['/tokens'].get.parameters.shift(),
    at: ['/paths/~1tokens/get/parameters/0'],
    tool: 'major',
    ours: 'breaking',
  },
  {
    name: 'a required parameter added',
    edit: (c) =>
      c.paths['/agents'].get.parameters.push({ name: 'team', in: 'query', required: true, schema: { type: 'string' } }),
    at: ['/paths/~1agents/get/parameters'],
    tool: 'major',
    ours: 'breaking',
  },
  {
    name: 'a header made required',
    edit: (c) => {
      c.components.parameters.IdempotencyKey.required = true;
    },
    at: ['/components/parameters/IdempotencyKey'],
    tool: 'major',
    ours: 'breaking',
  },
  {
    name: 'a status replaced',
    edit: (c) => {
      const { responses } = c.paths['/beneficial-owners'].post;
      responses[200] = responses[201];
      delete responses[201];
    },
    at: ['/paths/~1beneficial-owners/post/responses/20'],
    tool: 'major',
    ours: 'breaking',
  },
  {
    name: 'a field of a reply removed',
    edit: (c) => {
      delete schema(c, 'AgentUsage').properties[Object.keys(schema(c, 'AgentUsage').properties)[0] as string];
    },
    at: [`${schemas}/AgentUsage/properties`],
    tool: 'major',
    ours: 'breaking',
  },
  {
    name: 'another type in a request',
    edit: (c) => {
      schema(c, 'FundRequest').properties.amount = { type: 'string', maxLength: 20 };
    },
    at: [`${schemas}/FundRequest`],
    tool: 'major',
    ours: 'breaking',
  },
  {
    name: 'another pattern',
    edit: (c) => {
      schema(c, 'ClientPublicKey').pattern = '^05[0-9a-f]{128}$';
    },
    at: [`${schemas}/ClientPublicKey`],
    tool: 'major',
    ours: 'breaking',
  },
  {
    name: 'a member added to a union of replies',
    edit: (c) => schema(c, 'Transaction').oneOf.push({ $ref: '#/components/schemas/Refund' }),
    at: [`${schemas}/Transaction/oneOf`],
    tool: 'major',
    ours: 'breaking',
  },
  {
    name: 'a member taken from a union of requests',
    edit: (c) => {
      schema(c, 'CredentialVerifyRequest').oneOf.splice(1, 1);
      delete schema(c, 'CredentialVerifyRequest').discriminator.mapping.OAUTH;
    },
    at: [`${schemas}/CredentialVerifyRequest`],
    tool: 'major',
    ours: 'breaking',
  },
  {
    name: 'credentials asked for where none were',
    edit: (c) => {
      c.paths['/agents/device-codes/{code}/redeem'].post.security = [{ BasicAuth: [] }];
    },
    at: ['/paths/~1agents~1device-codes~1{code}~1redeem/post/security'],
    tool: 'major',
    ours: 'breaking',
  },
  {
    name: 'null in a reply',
    edit: (c) => {
      field(c, 'Token', 'name').type = ['string', 'null'];
    },
    at: [`${schemas}/Token/properties/name`],
    tool: 'major',
    ours: 'breaking',
  },
  {
    name: 'another error code in place of one',
    edit: (c) => {
      errorOf(c, 'TokenNotFound').code.enum = ['NOT_FOUND'];
    },
    at: ['/components/responses/TokenNotFound'],
    tool: 'major',
    ours: 'breaking',
  },
];

const others: Edit[] = [
  {
    name: 'case 115: optional to required in a response',
    edit: (c) => schema(c, 'IndividualCustomer').required.push('region'),
    at: [`${schemas}/IndividualCustomer`],
    tool: 'patch',
    ours: 'compatible',
  },
  {
    name: 'an optional parameter added',
    edit: (c) => c.paths['/customers'].get.parameters.push({ name: 'team', in: 'query', schema: { type: 'string' } }),
    at: ['/paths/~1customers/get/parameters'],
    tool: 'minor',
    ours: 'compatible',
  },
  {
    name: 'an enum value that a request may have now',
    edit: (c) => schema(c, 'LockedCurrencySide').enum.push('BOTH'),
    at: [`${schemas}/LockedCurrencySide`],
    tool: 'patch',
    ours: 'compatible',
  },
  {
    name: 'a longer text in a request',
    edit: (c) => {
      field(c, 'AgentActionRejectRequest', 'reason').maxLength = 9000;
    },
    at: [`${schemas}/AgentActionRejectRequest`],
    tool: 'patch',
    ours: 'compatible',
  },
  {
    name: 'a field added to an open reply',
    edit: (c) => {
      schema(c, 'AuthSessionSummary').properties.device = { type: 'string', maxLength: 80 };
    },
    at: [`${schemas}/AuthSessionSummary`],
    tool: 'minor',
    ours: 'compatible',
  },
  {
    name: 'a path added',
    edit: (c) => {
      c.paths['/token-names'] = { get: { ...structuredClone(c.paths['/config'].get), operationId: 'listTokenNames' } };
    },
    at: ['/paths/~1token-names'],
    tool: 'minor',
    ours: 'compatible',
  },
  {
    name: 'a shared response that nothing refers to yet',
    edit: (c) => {
      c.components.responses.Later = { description: 'Will be done.' };
    },
    at: ['/components/responses/Later'],
    tool: 'patch',
    ours: 'compatible',
  },
  {
    name: 'another decision',
    edit: (c) => {
      schema(c, 'OutgoingTransaction')['x-decision'] = ['D01', 'D02'];
    },
    at: [`${schemas}/OutgoingTransaction`],
    tool: 'silent',
    ours: 'none',
    by: 'extensions',
  },
];

const rerated: Edit[] = [
  {
    name: 'an error code that no reply has yet',
    edit: (c) => field(c, 'ApiError', 'code').enum.push('TEAPOT'),
    at: [`${schemas}/ApiError`],
    tool: 'major',
    ours: 'compatible',
    by: 'errorCodes',
  },
  {
    name: 'one more code of an error that there was',
    edit: (c) => errorOf(c, 'CustomerDeleted').code.enum.push('CONFLICT'),
    at: ['/components/responses/CustomerDeleted'],
    tool: 'major',
    ours: 'warning',
    by: 'errorCodes',
  },
  {
    name: 'another default of a request',
    edit: (c) => {
      field(c, 'AgentPolicyInput', 'defaultExecutionMode').default = 'APPROVAL_REQUIRED';
    },
    at: [`${schemas}/AgentPolicyInput`],
    tool: 'patch',
    ours: 'warning',
    by: 'defaults',
  },
  {
    name: 'an operation that is meant to go',
    edit: (c) => {
      c.paths['/exchange-rates'].get.deprecated = true;
    },
    at: ['/paths/~1exchange-rates/get'],
    tool: 'patch',
    ours: 'warning',
    by: 'deprecation',
  },
  {
    name: 'a field that requests can no longer send',
    edit: (c) => {
      field(c, 'AgentUpdateRequest', 'name').readOnly = true;
    },
    at: [`${schemas}/AgentUpdateRequest`],
    tool: 'patch',
    ours: 'warning',
    by: 'oneWay',
  },
  {
    name: 'a path parameter renamed',
    edit: (c) => {
      c.paths['/verifications/{id}'] = c.paths['/verifications/{verificationId}'];
      delete c.paths['/verifications/{verificationId}'];
      c.components.parameters.VerificationIdInPath.name = 'id';
    },
    at: ['/paths/~1verifications~1{id}', '/components/parameters/VerificationIdInPath'],
    tool: 'patch',
    ours: 'warning',
    by: 'pathNames',
  },
  {
    name: 'a schema renamed',
    edit: (c) => rename(c, 'WalletExport', 'WalletSecret'),
    at: [`${schemas}/WalletSecret`, `${schemas}/WalletExport`],
    tool: 'patch',
    ours: 'warning',
    by: 'schemaNames',
  },
  {
    name: 'one more status of success',
    edit: (c) => {
      c.paths['/config'].patch.responses[202] = { description: 'Will be done.' };
    },
    at: ['/paths/~1config/patch/responses/202'],
    tool: 'minor',
    ours: 'warning',
    by: 'newStatus',
  },
  {
    name: 'an error that no longer happens',
    edit: (c) => {
      delete c.paths['/customers'].post.responses[409];
    },
    at: ['/paths/~1customers/post/responses/409'],
    tool: 'major',
    ours: 'compatible',
    by: 'lostError',
  },
  {
    name: 'a tag of a request that names nothing any more',
    edit: (c) => {
      delete schema(c, 'CustomerUpdateRequest').discriminator.mapping.BUSINESS;
    },
    at: [`${schemas}/CustomerUpdateRequest`],
    tool: 'patch',
    ours: 'breaking',
    by: 'lostMapping',
  },
  {
    name: 'a field added to a closed type that replies have too',
    edit: (c) => {
      schema(c, 'UsdAccountInfo').properties.note = { type: 'string', maxLength: 80 };
    },
    at: [`${schemas}/UsdAccountInfo/properties`],
    tool: 'minor',
    ours: 'warning',
    by: 'closedReply',
  },
  {
    name: 'other words',
    edit: (c) => {
      schema(c, 'ExchangeRate').description = 'A price.';
    },
    at: [`${schemas}/ExchangeRate/description`],
    tool: 'patch',
    ours: 'none',
    by: 'words',
  },
  {
    name: 'another permission',
    edit: (c) => {
      c.paths['/receiver/uma/{receiverUmaAddress}'].get['x-permission'] = 'MANAGE';
    },
    at: ['/paths/~1receiver~1uma~1{receiverUmaAddress}/get'],
    tool: 'patch',
    ours: 'breaking',
    by: 'extensions',
  },
  {
    name: 'a permission that an agent no longer needs',
    edit: (c) => {
      delete c.paths['/agents/me/transfer-in'].post['x-agent-permission'];
    },
    at: ['/paths/~1agents~1me~1transfer-in/post'],
    tool: 'patch',
    ours: 'compatible',
    by: 'extensions',
  },
  {
    name: 'another code of the transport',
    edit: (c) => {
      c['x-transport-responses'][Object.keys(c['x-transport-responses'])[0] as string].codes = ['CONFLICT'];
    },
    at: ['/x-transport-responses'],
    tool: 'silent',
    ours: 'warning',
    by: 'extensions',
  },
  {
    name: 'another example',
    edit: (c) => {
      const [first] = Object.values(c.components.examples) as Document[];
      first.value = { ...first.value, seen: true };
    },
    at: ['/components/examples/'],
    tool: 'silent',
    ours: 'none',
    by: 'examples',
  },
];

/** The same meaning, written in another way. */
const rewritten: Edit[] = [
  {
    name: 'const written as an enum of one',
    edit: (c) => {
      const { const: value, ...rest } = field(c, 'EmailOtpCredentialCreateRequest', 'type');
      schema(c, 'EmailOtpCredentialCreateRequest').properties.type = { ...rest, enum: [value] };
    },
    at: [`${schemas}/EmailOtpCredentialCreateRequest`],
    tool: 'patch',
    ours: 'unchanged',
    by: 'constIsEnum',
  },
  {
    name: 'a const without the enum of one beside it',
    edit: (c) => {
      delete field(c, 'OauthCredentialCreateRequest', 'type').enum;
    },
    at: [`${schemas}/OauthCredentialCreateRequest`],
    tool: 'patch',
    ours: 'unchanged',
    by: 'constIsEnum',
  },
  {
    name: 'values that no longer state their type',
    edit: (c) => {
      const [, own] = c.components.responses.AccountNotFound.content['application/json'].schema.allOf;
      delete own.properties.status.type;
      delete own.properties.code.type;
    },
    at: ['/components/responses/AccountNotFound'],
    tool: 'major',
    ours: 'unchanged',
    by: 'valuesHaveTypes',
  },
  {
    name: 'enum values in another order',
    edit: (c) => schema(c, 'TransactionStatus').enum.reverse(),
    at: [`${schemas}/TransactionStatus`],
    tool: 'patch',
    ours: 'unchanged',
    by: 'enumIsSet',
  },
  {
    name: 'required fields in another order',
    edit: (c) => schema(c, 'BeneficialOwner').required.reverse(),
    at: [`${schemas}/BeneficialOwner/required`],
    tool: 'patch',
    ours: 'unchanged',
    by: 'requiredIsSet',
  },
  {
    name: 'a type in a list of one',
    edit: (c) => {
      field(c, 'UmaProvider', Object.keys(schema(c, 'UmaProvider').properties)[0] as string).type = ['string'];
    },
    at: [`${schemas}/UmaProvider/properties`],
    tool: 'patch',
    ours: 'unchanged',
    by: 'typeIsSet',
  },
  {
    name: 'an open object that says so',
    edit: (c) => {
      schema(c, 'AuthMethod').additionalProperties = true;
    },
    at: [`${schemas}/AuthMethod/additionalProperties`, `${schemas}/AuthMethod`],
    tool: 'patch',
    ours: 'unchanged',
    by: 'openIsOpen',
  },
  {
    name: 'a reference wrapped in allOf',
    edit: (c) => {
      const { $ref, description } = field(c, 'Verification', 'id');
      schema(c, 'Verification').properties.id = { allOf: [{ $ref }], description };
    },
    at: [`${schemas}/Verification/properties/id`],
    tool: 'major',
    ours: 'unchanged',
    by: 'wrappedRef',
  },
];

/** The same meaning in another place, or a default written out. */
const moved: Edit[] = [
  {
    name: 'a parameter of all operations of a path, said once above them',
    edit: (c) => {
      const item = c.paths['/auth/sessions/{id}'];
      item.parameters = [{ $ref: '#/components/parameters/SessionIdInPath' }];
      item.delete.parameters = item.delete.parameters.filter(
        ({ $ref = '' }: { $ref?: string }) => !$ref.endsWith('/SessionIdInPath'),
      );
    },
    at: ['/paths/~1auth~1sessions~1{id}/'],
    tool: 'major',
    ours: 'unchanged',
    by: 'sharedParameters',
  },
  {
    name: 'credentials of most operations, said once for the document',
    edit: (c) => {
      const basic = [{ BasicAuth: [] }];
      c.security = basic;
      for (const item of Object.values(c.paths) as Document[]) {
        for (const operation of Object.values(item) as Document[])
          if (JSON.stringify(operation.security) === JSON.stringify(basic)) delete operation.security;
      }
      // That the operation now requires credentials is another edit.
      c.paths['/agents/device-codes/{code}/redeem'].post.security = basic;
    },
    at: ['/security'],
    tool: 'major',
    ours: 'unchanged',
    by: 'sharedSecurity',
  },
  {
    name: "the document's servers said again at a path",
    edit: (c) => {
      c.paths['/quotes/{quoteId}'].servers = structuredClone(c.servers);
      c.paths['/quotes/{quoteId}'].get.servers = structuredClone(c.servers);
    },
    at: ['/paths/~1quotes~1{quoteId}'],
    tool: 'minor',
    ours: 'unchanged',
    by: 'sameServers',
  },
  {
    name: 'style and explode of a scalar',
    edit: (c) => Object.assign(c.components.parameters.Cursor, { style: 'form', explode: false }),
    at: ['/components/parameters/Cursor/'],
    tool: 'major',
    ours: 'unchanged',
    by: 'usualStyle',
  },
  {
    name: 'false said of what is false',
    edit: (c) => Object.assign(c.components.parameters.CreatedAfter, { required: false, allowReserved: false }),
    at: ['/components/parameters/CreatedAfter'],
    tool: 'major',
    ours: 'unchanged',
    by: 'absentIsFalse',
  },
  {
    name: 'a bound that bounds nothing',
    edit: (c) => {
      Object.assign(field(c, 'IndividualCustomerUpdateRequest', 'fullName'), { readOnly: false });
      Object.assign(field(c, 'AgentCreateRequest', 'policy'), { minProperties: 0 });
    },
    at: [`${schemas}/IndividualCustomerUpdateRequest/properties/fullName`, `${schemas}/AgentCreateRequest`],
    tool: 'major',
    ours: 'unchanged',
    by: 'noBound',
  },
  {
    name: 'a type with null as one of two schemas',
    edit: (c) => {
      const { type: _, ...limit } = field(c, 'AgentSpendingLimitsUpdate', 'dailyLimit');
      schema(c, 'AgentSpendingLimitsUpdate').properties.dailyLimit = {
        oneOf: [{ type: 'null' }, { ...limit, type: 'integer' }],
      };
    },
    at: [`${schemas}/AgentSpendingLimitsUpdate/properties/dailyLimit`],
    tool: 'major',
    ours: 'unchanged',
    by: 'nullIsType',
  },
  {
    name: 'a field of a request that may be null now, as one of two schemas',
    edit: (c) => {
      const fields = schema(c, 'QuoteCreateRequest').properties;
      fields.source = { anyOf: [fields.source, { type: 'null' }] };
    },
    at: [`${schemas}/QuoteCreateRequest/properties/source`],
    tool: 'major',
    ours: 'compatible',
    by: 'nullIsType',
  },
];

export const edits: readonly Edit[] = [...breaking, ...others, ...rerated, ...rewritten, ...moved];
