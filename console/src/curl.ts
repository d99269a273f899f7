import type { Schemas } from './own-types.ts';

/**
 * A call of a backend to paste into a terminal, at the address of this page.
 * @param path below `/api/`
 * @param body JSON with any content
 * @param options options of curl
 */
export function curl(path: string, body?: string, options?: string): string {
  const address = new URL(`../api/${path}`, location.href.split('#')[0]).href;
  const call = ['curl', options, address].filter(Boolean).join(' ');
  const token = '-H "Authorization: Token $TOKEN"';
  if (body === undefined) return `${call} \\\n  ${token}`;
  const quoted = `'${body.replaceAll("'", "'\\''")}'`;
  return `${call} \\\n  ${token} \\\n  -H 'Content-Type: application/json' \\\n  -d ${quoted}`;
}

/** The call with which a backend makes or changes a user group. */
export const writeUserGroup = curl(
  'user',
  `{"user_group_id": "acme-emea", "name": "Acme EMEA",
       "mapping": {"sales": "warehouse-emea"}, "properties": {"region": "EMEA"}}`,
  '-X PUT',
);

/** The call with which a backend adds a missing member of the group. */
export function writeMember({ provided_id }: Schemas['UserGroup'], name: string, value: string): string {
  const id = JSON.stringify(provided_id);
  return curl('user', `{"user_group_id": ${id}, "${name}": ${value}}`, '-X PUT');
}
