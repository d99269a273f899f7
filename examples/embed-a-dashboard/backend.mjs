import { createServer } from 'node:http';

const { USER_GROUPS_URL, USER_GROUPS_TOKEN, AUDIENCE, ORIGIN, PORT = '8080' } = process.env;
const LIFETIME_SECONDS = 600;

/** Replace this by the sessions of your product: which user group does the signed-in person belong to? */
const sessions = new Map([['a-session-of-acme', 'acme']]);
function userGroupOf(request) {
  return sessions.get(/(?:^|; )session=([^;]*)/.exec(request.headers.cookie ?? '')?.[1]);
}

async function issueEmbedToken(userGroupId) {
  const url = `${USER_GROUPS_URL}/api/v1/user-groups/${encodeURIComponent(userGroupId)}/embed-tokens`;
  const response = await fetch(url, {
    method: 'POST',
    headers: { Authorization: `Token ${USER_GROUPS_TOKEN}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      audience: AUDIENCE,
      origin: ORIGIN,
      expires_in_seconds: LIFETIME_SECONDS,
    }),
    signal: AbortSignal.timeout(5000),
  });
  const body = await response.json();
  if (response.ok) {
    const { token, expires_in } = body.embed_token;
    return { status: 200, body: { token, expires_in } };
  }
  console.error(`no embed token for ${userGroupId}: ${body.code} (${body.request_id})`);
  // Suspended, expired or incomplete: the customer may not see dashboards now. All else is not the customer's fault.
  return body.code === 'user_group_inactive'
    ? { status: 403, body: {} }
    : { status: 503, body: {} };
}

createServer(async (request, response) => {
  const send = ({ status, body }) => {
    response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
    response.end(JSON.stringify(body));
  };
  if (request.method !== 'POST' || request.url !== '/dashboard-token')
    return send({ status: 404, body: {} });
  const userGroupId = userGroupOf(request);
  if (userGroupId === undefined) return send({ status: 401, body: {} });
  await issueEmbedToken(userGroupId).then(send, () => send({ status: 503, body: {} }));
}).listen(Number(PORT), '127.0.0.1');
