import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import process from 'node:process';
import { URL } from 'node:url';

// A host application with a dashboard of Shiny in a frame, to look at, from a checkout that has been built:
//
//   USER_GROUPS_URL=http://127.0.0.1:3000 USER_GROUPS_TOKEN=uga_… DASHBOARD=http://127.0.0.1:8080 PORT=8081 node host.mjs
//
// http://127.0.0.1:8081/?user_group=acme is the page of a customer. A real host knows the customer from its session, never
// from the address.

const { USER_GROUPS_URL, USER_GROUPS_TOKEN, DASHBOARD, PORT } = process.env;
const origin = `http://127.0.0.1:${PORT}`;
const helper = readFileSync(new URL('../../dist/clients/embed/embed.js', import.meta.url));

const page = `<!doctype html>
<meta charset="utf-8">
<title>Sales</title>
<style>iframe { border: 0; width: 100%; height: 90vh }</style>
<iframe id="dashboard" title="Sales"></iframe>
<script type="module">
  import { keepTokenFresh } from '/embed.js';

  const frame = document.querySelector('#dashboard');
  const origin = ${JSON.stringify(DASHBOARD)};
  keepTokenFresh({ from: '/dashboard-token' + location.search, frame, origin });
  frame.src = origin + '/_embed#/';
</script>
`;

/** Issues an embed token for the dashboard in a page of this site. */
async function issueEmbedToken(userGroupId) {
  const path = `/api/v1/user-groups/${encodeURIComponent(userGroupId)}/embed-tokens`;
  const response = await fetch(new URL(path, USER_GROUPS_URL), {
    method: 'POST',
    headers: { Authorization: `Token ${USER_GROUPS_TOKEN}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ audience: 'dashboards', origin, expires_in_seconds: 300 }),
  });
  const { embed_token, code } = await response.json();
  if (response.ok) {
    const { token, expires_in } = embed_token;
    return { status: 200, body: { token, expires_in } };
  }
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
  } else if (pathname === '/embed.js') send(200, 'text/javascript', helper);
  else if (pathname === '/') send(200, 'text/html', page);
  else send(404, 'text/plain', 'not found');
}).listen(Number(PORT), '127.0.0.1');
