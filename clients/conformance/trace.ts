import type { StreamConfig } from './config-offers.ts';
import type { Template } from './config.ts';

const STEPS_SHOWN = 14;

/**
 * The steps of a check as commands that a person can repeat. Variables stand in the places of tokens, and of each header,
 * cookie and environment variable without one: the configuration may have secrets there.
 */
export class Trace {
  readonly #steps: string[] = [];
  readonly #names = new Map<string, string>();

  /** The last steps, without repetitions, and before them all notes and the steps that define a variable of the last. */
  get steps(): string[] {
    const different = this.#steps.filter((step, index) => step !== this.#steps[index - 1]);
    const last = different.slice(-STEPS_SHOWN);
    const used = new Set(last.flatMap((step) => step.match(/\bTOKEN_\d+/g) ?? []));
    const isNeeded = (step: string) =>
      step.startsWith('#') || used.has(/^(TOKEN_\d+)=/.exec(step)?.[1] ?? '');
    return [...different.slice(0, -STEPS_SHOWN).filter(isNeeded), ...last];
  }

  note(text: string): void {
    this.#steps.push(`# ${text}`);
  }

  /** A call of the service. `token` is a token of the response, which gets a name. */
  call(
    method: string,
    path: string,
    body: object | undefined,
    token?: { value: string; at: string },
  ): void {
    const data =
      body === undefined
        ? ''
        : ` -H 'Content-Type: application/json' -d ${quote(this.#hidden(JSON.stringify(body)))}`;
    const curl = `curl -s -X ${method} "$URL${path}" -H "Authorization: Token $API_TOKEN"${data}`;
    if (!token) this.#steps.push(curl);
    else this.#steps.push(`${this.#nameOf(token.value)}=$(${curl} | jq -r ${token.at})`);
  }

  /** A token that no call has returned. */
  made(token: string, how: string): void {
    this.#steps.push(`${this.#nameOf(token)}=…  # ${how}`);
  }

  /** A call of the renderer. */
  rendering(template: Template, token: string, extra: Record<string, string> = {}): void {
    this.#steps.push(commandOf(template, this.#nameOf(token), extra));
  }

  /** A connection that stays open. */
  opening({ url, method, headers, body, sends, asks }: StreamConfig, token: string): void {
    const name = this.#nameOf(token);
    const template = { url, method, headers, ...(body !== undefined && { body }) };
    const call = commandOf(template, name, {});
    const messages = [...sends, ...(asks === undefined ? [] : [asks])].map((message) =>
      quote(message.replaceAll('{token}', `{${name}}`)),
    );
    if (!url.startsWith('ws')) this.#steps.push(call.replace('curl -si', 'curl -sNi'));
    else {
      const open = call.replace('curl -si -X GET', 'websocat').replaceAll(' -H ', ' -H=');
      const sent = messages.length > 0 ? `printf '%s\\n' ${messages.join(' ')} | ` : '';
      this.#steps.push(sent + open);
    }
  }

  /** Tokens within a body, as variables. */
  #hidden(text: string): string {
    let hidden = text;
    for (const [token, name] of this.#names) hidden = hidden.replaceAll(token, `{${name}}`);
    return hidden;
  }

  #nameOf(token: string): string {
    const known = this.#names.get(token);
    if (known !== undefined) return known;
    const name = `TOKEN_${this.#names.size + 1}`;
    this.#names.set(token, name);
    return name;
  }
}

function commandOf(template: Template, name: string, extra: Record<string, string>): string {
  const fill = (text: string) => quote(text.replaceAll('{token}', `{${name}}`));
  const hide = (kind: string, key: string, text: string) =>
    text.includes('{token}') ? text : variableOf(kind, key);
  if ('command' in template) {
    const env = Object.entries(template.env).map(
      ([key, value]) => `${key}=${fill(hide('ENV', key, value))} `,
    );
    const input = template.stdin === undefined ? '' : `printf %s ${fill(template.stdin)} | `;
    return `${input}${env.join('')}${template.command.map(quote).join(' ')}`;
  }
  const own = Object.entries(template.headers).map(([key, value]): [string, string] => [
    key,
    /^cookie$/i.test(key) ? withoutCookies(value, hide) : hide('HEADER', key, value),
  ]);
  const headers = Object.entries({
    ...contentTypeOf(template),
    ...Object.fromEntries(own),
    ...extra,
  });
  const parts = headers.map(([key, value]) => ` -H ${fill(`${key}: ${value}`)}`);
  const body = bodyOf(template);
  if (body !== undefined) parts.push(` --data-raw ${fill(body)}`);
  return `curl -si -X ${template.method} ${fill(template.url)}${parts.join('')}`;
}

/** A variable in the place of what may be a secret. */
function variableOf(kind: string, key: string): string {
  return `{${kind}_${key.toUpperCase().replace(/\W/g, '_')}}`;
}

function withoutCookies(
  value: string,
  hide: (kind: string, key: string, text: string) => string,
): string {
  const cookies = value.split(/; */).map((cookie) => {
    const [, key = '', text = ''] = /^([^=]*)=?(.*)$/s.exec(cookie)!;
    return `${key}=${hide('COOKIE', key, text)}`;
  });
  return cookies.join('; ');
}

/** The body of a request, with the place of the token. */
export function bodyOf({ body }: { body?: string | object }): string | undefined {
  return typeof body === 'object' ? JSON.stringify(body) : body;
}

export function contentTypeOf({ body }: { body?: string | object }): Record<string, string> {
  return typeof body === 'object' ? { 'Content-Type': 'application/json' } : {};
}

/** A word of the shell; `{TOKEN_1}`, `{HEADER_AUTHORIZATION}` and the like in it become variables. */
function quote(text: string): string {
  if (/^[\w./:=-]+$/.test(text)) return text;
  const quoted = `'${text.replaceAll("'", `'\\''`)}'`;
  return quoted.replace(/\{((?:TOKEN|HEADER|COOKIE|ENV)_\w+)\}/g, `'"$$$1"'`);
}
