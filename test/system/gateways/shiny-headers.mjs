import { once } from 'node:events';
import { createServer } from 'node:http';
import { URL } from 'node:url';
import { freePort } from '../lab/ports.mjs';
import { Violated } from '../lab/report.mjs';
import { untilItAccepts } from '../renderers/protects.mjs';
import { exchange } from './applications.mjs';
import { forgeries } from './keeps-apart.mjs';
import { startNginxOfShiny } from './started.mjs';

const OF_ACME = {
  'X-User-Group': 'acme',
  'X-User-Group-Data-Source': 'warehouse-acme',
  'X-Region': 'EMEA',
};
/** No forgery of a group, and nothing that an application should get. */
const OTHERS = { 'X-Other': '1', X_Other: '1', 'X-Forwarded-For': '::1', Cookie: 'a=b' };
/** Without it nginx drops headers with underscores. */
const WITH_UNDERSCORES = 'underscores_in_headers on;';

/**
 * Shows that the settings of docs/guides/shiny.md hand on none of a viewer's headers, also if the endpoint refuses none
 * and nginx drops none.
 * @returns figures @throws Violated
 */
export async function handsOnItsOwnHeaders() {
  const server = createServer(({ url, rawHeaders }, response) => {
    const isEndpoint = url.startsWith('/api/v1/forward-auth');
    response.writeHead(200, isEndpoint ? OF_ACME : {});
    response.end(isEndpoint ? '' : JSON.stringify(rawHeaders));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${server.address().port}`;
  const port = await freePort();
  const lab = { port, service: url, application: url };
  try {
    await untilItAccepts(startNginxOfShiny(lab, WITH_UNDERSCORES).child, port);
    const handedOn = async (headers) => (await exchange(port, 'GET', '/', headers)).seen;
    const expected = JSON.stringify([...Object.entries(OF_ACME).flat(), 'Host', new URL(url).host]);
    const all = [['no header', {}], ['other headers', OTHERS], ...forgeries()];
    const violations = [];
    for (const [what, headers] of all) {
      const seen = await handedOn(headers);
      if (seen !== expected) violations.push(`${what}: ${seen} in place of ${expected}`);
    }
    if (violations.length > 0) throw new Violated(violations);
    return `${all.length} requests, none of whose headers is handed on`;
  } finally {
    server.close();
  }
}
