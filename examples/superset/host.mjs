import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { URL } from 'node:url';

// A host application with a dashboard of Superset, to look at:
//
//   npm install @superset-ui/embedded-sdk@0.4.0
//   USER_GROUPS_URL=http://127.0.0.1:3000 USER_GROUPS_TOKEN=uga_… SUPERSET_URL=http://127.0.0.1:8088 DASHBOARD=4f2c8a10-… \
//     PORT=8080 node host.mjs
//
// http://127.0.0.1:8080/?user_group=acme is the page of a customer. A real host knows the customer from its session, never
// from the address.

const { USER_GROUPS_URL, USER_GROUPS_TOKEN, SUPERSET_URL, DASHBOARD, PORT } = process.env;
const origin = `http://127.0.0.1:${PORT}`;
const sdk = readFileSync(
  createRequire(`${process.cwd()}/`).resolve('@superset-ui/embedded-sdk/bundle/index.js'),
);

const page = `<!doctype html>
<meta charset="utf-8">
<title>Sales</title>
<style>iframe { border: 0; width: 100%; height: 90vh }</style>
<div id="dashboard"></div>
<script src="/sdk.js"></script>
<script type="module">
  supersetEmbeddedSdk.embedDashboard({
    id: ${JSON.stringify(DASHBOARD)},
    supersetDomain: ${JSON.stringify(SUPERSET_URL)},
    mountPoint: document.querySelector('#dashboard'),
    fetchGuestToken: async () => {
      const response = await fetch('/dashboard-token' + location.search, { method: 'POST' });
      if (!response.ok) throw new Error('no token: ' + response.status);
      return (await response.json()).token;
    },
  });
</script>
`;

/** Issues an embed token for Superset and this site. */
async function issueEmbedToken(userGroupId) {
  const path = `/api/v1/user-groups/${encodeURIComponent(userGroupId)}/embed-tokens`;
  const response = await fetch(new URL(path, USER_GROUPS_URL), {
    method: 'POST',
    headers: { Authorization: `Token ${USER_GROUPS_TOKEN}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ audience: 'superset', origin, expires_in_seconds: 300 }),
  });
  const { embed_token, code } = await response.json();
  if (response.ok) return { status: 200, body: { token: embed_token.token } };
  console.error(`no embed token for ${userGroupId}: ${code}`);
  return { status: 403, body: {} };
}

createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, origin);
  const send = (status, type, body) => {
    response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' });
    response.end(body);
  };
  if (request.method === 'POST' && pathname === '/dashboard-token') {
    const issued = issueEmbedToken(searchParams.get('user_group') ?? '');
    const { status, body } = await issued.catch(() => ({ status: 503, body: {} }));
    send(status, 'application/json', JSON.stringify(body));
  } else if (pathname === '/sdk.js') send(200, 'text/javascript', sdk);
  else if (pathname === '/') send(200, 'text/html', page);
  else send(404, 'text/plain', 'not found');
}).listen(Number(PORT), '127.0.0.1');
