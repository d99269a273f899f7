/** The requests of both clients. */
import { Buffer } from 'node:buffer';

/** So many groups are introspected in turn: more than one in the time for which one is remembered. */
const INTROSPECTED = 5000;

/** The contract's look-up and create are a GET. */
const targets = {
  'look-up': 'GET /api/user',
  create: 'GET /api/user',
  rotate: 'POST /api/user',
  write: 'PUT /api/user',
  introspect: 'POST /api/v1/introspect',
};

/** A whole request. */
export function request(turn, operation, fields) {
  const body = JSON.stringify(fields);
  return `${headOf(turn, operation)}${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/**
 * A request up to the number of `Content-Length`. `X-Operation` is for the bare server; the service has to find out by
 * itself.
 */
export function headOf({ server }, operation) {
  return `${targets[operation]} HTTP/1.1\r
Host: 127.0.0.1:${server.port}\r
Authorization: Token ${server.apiToken}\r
Content-Type: application/json\r
X-Operation: ${operation}\r
Content-Length: `;
}

/** As test/system/rewrap/groups.mjs names them. @param stride so that few groups are spread over all */
export function groupAt({ stride = 1 }, index) {
  return { user_group_id: `group ${index * stride + 1}`, name: 'Group' };
}

/** How many groups are introspected in turn; there are few enough for a service to remember all of them. */
export function introspectedOf({ connections, groups }) {
  return Math.max(connections, Math.min(groups, INTROSPECTED));
}
