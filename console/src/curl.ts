/**
 * A call of a backend to paste into a terminal, at the address of this page.
 * @param path below `/api/`
 * @param body JSON with any content
 * @param options options of curl
 */
export function curl(path: string, body?: string, options?: string): string {
  const { href } = new URL(`../api/${path}`, location.href.split('#')[0]);
  // A shell looks for files that match a question mark.
  const address = /[^\w:/.%-]/.test(href) ? `'${href}'` : href;
  const call = ['curl', options, address].filter(Boolean).join(' ');
  const token = '-H "Authorization: Token $TOKEN"';
  if (body === undefined) return `${call} \\\n  ${token}`;
  return `${call} \\\n  ${token} \\\n  -H 'Content-Type: application/json' \\\n  -d ${quoted(body)}`;
}

/** An argument of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * A call about one user group.
 * @param below its place below the address of the group: `/view`
 */
export function groupCall(
  method: string,
  id: string,
  below = '',
  { body, headers = {} }: { body?: string; headers?: object } = {},
): string {
  // Escapes the characters that encodeURIComponent leaves and a shell may read.
  const escaped = encodeURIComponent(id).replaceAll(
    /[!'()*~]/g,
    (one) => `%${one.charCodeAt(0).toString(16)}`,
  );
  const fields = Object.entries(headers).map(
    ([name, value]: [string, string]) => `-H ${quoted(`${name}: ${value}`)}`,
  );
  const options = [method === 'GET' ? '' : `-X ${method}`, ...fields].filter(Boolean).join(' ');
  return curl(`v1/user-groups/${escaped}${below}`, body, options);
}

/** A user group as a backend writes it, which the example renderer can show. */
const FIRST = `{"user_group_id": "acme-emea", "name": "Acme EMEA",
       "mapping": {"sales": "warehouse-acme"}, "properties": {"region": "EMEA", "max_rows": 6}}`;

/** The call with which a backend makes or changes a user group. */
export const writeUserGroup = curl('user', FIRST, '-X PUT');
