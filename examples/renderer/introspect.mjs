// The typed client, compiled by `npm run build`: Node 20 does not read TypeScript. Your own build
// compiles the copy of clients/typescript that you have made.
import { CachedIntrospector } from '../../dist/clients/typescript/cached-introspector.js';
import { Refusal } from './refusal.mjs';

/** The one dashboard of this renderer, as `resources` of an embed token name it. */
const DASHBOARD = { type: 'dashboard', id: 'sales' };

/**
 * Introspects with an API token whose only scopes are `tokens:introspect` and `events:read`.
 * @param service `baseUrl` and `apiToken`
 */
export function createIntrospector(service) {
  const onStreamError = ({ message }) => console.error(`no events: ${message}`);
  return new CachedIntrospector({ ...service, onStreamError });
}

/**
 * Returns the viewer with the data and the variables (RFC 7662). Called for each query, and cached while the service's
 * events report no change: a token that was rotated or revoked shows nothing a second later.
 * @param renderer the `audience` of the embed tokens for this renderer, and the origin of the site that embeds its page
 * @throws Refusal if the token is not valid or for another renderer, or the service is unavailable
 */
export async function introspect(introspector, userGroupToken, renderer) {
  const isText = typeof userGroupToken === 'string';
  const answer = isText ? await requestIntrospection(introspector, userGroupToken) : undefined;
  // Everything but a plain yes is a no.
  const reason =
    answer?.active === true
      ? reasonAgainst(answer, renderer)
      : 'the service does not accept the token';
  if (reason !== undefined) {
    const text = 'This link is not valid. It may have expired or been replaced.';
    throw new Refusal(403, 'token_refused', text, { cause: new Error(reason) });
  }
  return answer;
}

/** Compares `aud`, `origin` and `resources` of an embed token; the service has compared its workspace with that of the API token. */
function reasonAgainst(
  { token_type: type, aud, origin, resources = [DASHBOARD] },
  { audience, embeddedBy },
) {
  if (type === 'user_group_token') return undefined;
  if (type !== 'embed_token') return `the token is a ${type}`;
  if (aud !== audience)
    return `the token is for the audience ${aud}, and AUDIENCE is ${audience ?? 'unset'}`;
  if (!resources.some(({ type, id }) => type === DASHBOARD.type && id === DASHBOARD.id))
    return `the token is not for the ${DASHBOARD.type} ${DASHBOARD.id}`;
  if ((origin ?? embeddedBy) === embeddedBy) return undefined;
  return `the token is for pages of ${origin}, and EMBEDDED_BY is ${embeddedBy ?? 'unset'}`;
}

async function requestIntrospection(introspector, token) {
  try {
    return await introspector.introspect(token);
  } catch (cause) {
    const text = 'Nobody can say who is viewing just now. The dashboard tries again.';
    throw new Refusal(503, 'service_away', text, { cause });
  }
}
