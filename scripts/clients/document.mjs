// Facts about the operations of the OpenAPI document that both clients are generated from.

/**
 * POSTs that can be repeated without a key: they change nothing, and an embed token that got lost ends by itself.
 * A key would make the service store each embed token for a day.
 */
const SAFE_POSTS = new Set([
  'introspectToken',
  'revokeToken',
  'previewIncompleteUserGroups',
  'exportUserGroups',
  'exportAuditEvents',
  'issueEmbedToken',
]);

/** Whether an operation can be repeated although its method is POST. */
export function isSafePost(id) {
  return SAFE_POSTS.has(id);
}

/** Whether the client makes an `Idempotency-Key` for each call, so that the call can be repeated. */
export function makesKey({ operationId: id, parameters = [] }) {
  return !SAFE_POSTS.has(id) && parameters.some(({ name }) => name === 'Idempotency-Key');
}

/** Whether an operation needs no token: it says so, since the document asks for one. */
export function isPublic({ security }) {
  return security?.length === 0;
}

/** The name of the entries of a list, and the parameter that takes its `next_cursor`; undefined for another operation. */
export function listOf({ parameters = [], responses }, schemas) {
  const parameter = ['cursor', 'after'].find((one) => parameters.some(({ name }) => name === one));
  const schema = responses[200]?.content?.['application/json']?.schema;
  if (!parameter || !schema) return undefined;
  const { properties } = schemas[nameOf(schema)];
  const [[entries, { items }]] = Object.entries(properties).filter(
    ([, { type }]) => type === 'array',
  );
  return { parameter, entries, item: nameOf(items) };
}

/** The name of a schema that is referred to. */
export function nameOf({ $ref }) {
  return /^#\/components\/schemas\/(\w+)$/.exec($ref)[1];
}

/** @throws if there is something that would be left out */
export function known(object, keys, place) {
  const unknown = Object.keys(object).filter((key) => !keys.includes(key));
  if (unknown.length > 0) {
    throw new Error(`${place} has ${unknown.join(', ')}, which is not understood`);
  }
}

/** Keys of an operation that the clients understand. */
export const OPERATION_KEYS = [
  'operationId',
  'summary',
  'description',
  'tags',
  'parameters',
  'requestBody',
  'responses',
  'security',
  'x-required-scopes',
  'x-required-scope-with',
  'x-restricted-tokens',
  'x-codeSamples',
];
