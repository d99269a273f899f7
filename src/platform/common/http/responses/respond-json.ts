import type { ServerResponse } from 'node:http';
import { JsonText } from '../../json/json-text.ts';
import { endWhole } from './end-whole.ts';
import { COMMON_HEADERS } from '../server/http-settings.ts';
import { requestId } from '../observing/request-id.ts';

const MAX_TOGETHER = 64;

let made: [response: ServerResponse, text: string][] = [];

/**
 * Ends a response at the end of this turn of the event loop, with the others of this turn. A sleeping client on the
 * same machine, or a proxy, is woken once for all of them: waking it can cost more than the response did.
 */
function endTogether(response: ServerResponse, text: string): void {
  if (made.length === 0) setImmediate(endAll);
  made.push([response, text]);
  if (made.length === MAX_TOGETHER) endAll();
}

function endAll(): void {
  const ending = made;
  made = [];
  for (const [response, text] of ending) endWhole(response, text);
}

const MEDIA_TYPE = 'application/json; charset=utf-8';

/** A flat list, which Node writes unchanged; setting fields one by one takes twice the time. */
const COMMON_FIELDS = Object.entries(COMMON_HEADERS).flat();

/** Sends `body` as JSON like `response.json` of Express, without looking up settings and parsing a media type. */
export function respondJson(response: ServerResponse, body: object): void {
  const text = body instanceof JsonText ? body.text : JSON.stringify(body);
  const length = String(Buffer.byteLength(text));
  if (response.getHeaderNames().length === 0) {
    const own = ['X-Request-Id', requestId(response.req)];
    const content = ['Content-Type', MEDIA_TYPE, 'Content-Length', length];
    response.writeHead(response.statusCode, [...COMMON_FIELDS, ...own, ...content]);
  } else {
    response.setHeader('Content-Type', MEDIA_TYPE);
    response.setHeader('Content-Length', length);
  }
  endTogether(response, text);
}
