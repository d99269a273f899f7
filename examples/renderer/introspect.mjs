import { Refusal } from './refusal.mjs';

const TIME_LIMIT_MS = 2000;

/**
 * Who is viewing, on which data, with which variables (RFC 7662). It is requested for each query and
 * nothing is kept: a token that was rotated or revoked shows nothing from then on.
 * @param service `url` of the introspection, and an API token whose only scope is `tokens:introspect`
 * @throws Refusal if the token is not valid, or the service cannot say
 */
export async function introspect({ url, apiToken }, userGroupToken) {
  const isText = typeof userGroupToken === 'string';
  const answer = isText ? await requestIntrospection(url, apiToken, userGroupToken) : undefined;
  // Everything but a plain yes is a no. An embed token would have to be compared with `aud` and `origin` too;
  // its workspace is that of the API token, which the service has compared.
  if (answer?.active !== true || answer.token_type !== 'user_group_token') {
    throw new Refusal(403, 'token_refused', 'This dashboard link is not valid, or no longer.');
  }
  return answer;
}

async function requestIntrospection(url, apiToken, token) {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { Authorization: `Bearer ${apiToken}` },
      body: new URLSearchParams({ token }),
      redirect: 'error',
      signal: AbortSignal.timeout(TIME_LIMIT_MS),
    });
    if (response.status !== 200) throw new Error(`it answered ${response.status}`);
    return await response.json();
  } catch (cause) {
    const text = 'Nobody can say who is viewing just now. The dashboard tries again.';
    throw new Refusal(503, 'service_away', text, { cause });
  }
}
