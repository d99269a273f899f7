import type { Place } from './place.ts';

const HANDLE = '{handle}';
const TOKEN = '{token}';
const STREAM = {
  is: /^(?:http|ws)s?:\/\/[^/]/,
  told: 'must begin with http://, https://, ws:// or wss://',
};
const HANDED = {
  is: /^(?:https?:\/\/[^/]|\{handle\})/,
  told: `must begin with http://, https:// or ${HANDLE}`,
};

/** A connection that stays open, and on which rows arrive again and again. */
export interface StreamConfig {
  /** With `http` a response without an end, such as an event stream; with `ws` a WebSocket. */
  url: string;
  method: string;
  headers: Record<string, string>;
  body?: string | object;
  /** The messages that a WebSocket is sent when it is open. */
  sends: string[];
  /** The message that asks a WebSocket for the rows; undefined if they arrive without one. */
  asks: string | undefined;
  /** Rows arrive at least this often. */
  everySeconds: number;
}

/** Something that a response hands out and another call takes: a cursor, or a link. */
export interface HandedConfig {
  /** Its place: a field of a JSON response, such as `links.csv`, or a header. */
  field: string | undefined;
  header: string | undefined;
  /** The call that takes it, where `{handle}` stands. */
  request: {
    url: string;
    method: string;
    headers: Record<string, string>;
    body?: string | object;
  };
  /** Texts that the call shows the first tenant, and that nobody else may see. */
  shows: string[];
}

export function streamOf(place: Place): StreamConfig | undefined {
  if (!place.isThere) return undefined;
  const url = place.url('url', STREAM);
  const isSocket = url.startsWith('ws');
  const body = place.body();
  const method = place.text('method') ?? (body === undefined ? 'GET' : 'POST');
  const sent = place.take('send') ?? [];
  if (!Array.isArray(sent)) place.fault('send', 'must be a list of messages');
  const messages: unknown[] = Array.isArray(sent) ? sent : [];
  const sends = messages.map((message, index) => messageOf(place, `send/${index}`, message));
  const ask = place.take('ask');
  const stream = {
    url,
    method,
    headers: place.textRecord('headers'),
    sends,
    ...(body !== undefined && { body }),
    asks: ask === undefined ? undefined : messageOf(place, 'ask', ask),
    everySeconds: place.seconds('every_seconds', 2),
  };
  if (isSocket && (body !== undefined || method !== 'GET')) {
    place.fault('', 'is a WebSocket, which has neither method nor body: use "send"');
  }
  if (!isSocket && (sends.length > 0 || ask !== undefined)) {
    place.fault('', 'is no WebSocket: "send" and "ask" need an address with ws:// or wss://');
  }
  if (!JSON.stringify(stream).includes(TOKEN)) {
    place.fault('', `has no ${TOKEN}: put it into url, headers, body or send`);
  }
  place.end();
  return stream;
}

export function handedOf(place: Place): HandedConfig | undefined {
  if (!place.isThere) return undefined;
  const [field, header] = [place.text('field'), place.text('header')];
  if ((field === undefined) === (header === undefined)) {
    place.fault('', 'needs one of field and header');
  }
  const call = place.object('request', true);
  const body = call.body();
  const request = {
    url: call.url('url', HANDED),
    method: call.text('method') ?? (body === undefined ? 'GET' : 'POST'),
    headers: call.textRecord('headers'),
    ...(body !== undefined && { body }),
  };
  if (!JSON.stringify(request).includes(HANDLE)) {
    call.fault('', `has no ${HANDLE}: put it into url, headers or body, where the handle goes`);
  }
  const handed = { field, header, request, shows: place.texts('shows', 1) };
  call.end();
  place.end();
  return handed;
}

/** The call with the handle in its place; one that is the address is resolved against `base`. */
export function withHandle(
  { url, method, headers, body }: HandedConfig['request'],
  handle: string,
  base: string,
): HandedConfig['request'] {
  const fill = (text: string) => text.replaceAll(HANDLE, handle);
  const address = url.startsWith(HANDLE)
    ? new URL(handle, base).href + url.slice(HANDLE.length)
    : url;
  return {
    url: address.replaceAll(HANDLE, encodeURIComponent(handle)),
    method,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, fill(value)]),
    ),
    ...(body !== undefined && { body: filled(body, fill) as string | object }),
  };
}

/** A copy of a body, with each of its texts filled. */
function filled(value: unknown, fill: (text: string) => string): unknown {
  if (typeof value === 'string') return fill(value);
  if (Array.isArray(value)) return value.map((one) => filled(one, fill));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filled(one, fill)]));
}

function messageOf(place: Place, name: string, message: unknown): string {
  if (typeof message === 'string' && message !== '') return message;
  if (typeof message === 'object' && message !== null) return JSON.stringify(message);
  place.fault(name, 'must be a text or an object');
  return '';
}
