import { applyDecorators, type Type } from '@nestjs/common';
import type { Response } from 'express';
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ApiBody, ApiConsumes, ApiExtraModels, ApiOkResponse, schemaPath } from '../../api-docs.ts';
import { requestParam } from '../parameters/request-params.ts';
import { bodyLimitOf, UNTRANSFORMED } from '../server/http-settings.ts';
import { type Line, splitLines } from './lines.ts';
import { streamBody } from '../server/streamed-body.ts';

export const NDJSON_TYPE = 'application/x-ndjson';

/** A client may leave its response unread for this long. */
const MAX_PAUSE_MS = 30_000;
/** A client that is still sending may take this long to read a complete response. */
const LINGER_MS = 1000;

/** The lines of a body, in groups as they arrive. */
export type Lines = AsyncIterable<Line[]>;

/**
 * Parameter decorator: the request's NDJSON body as `Lines`, each within BODY_LIMIT, read on demand; also describes the
 * body in the OpenAPI document.
 * @param type class of a line
 */
export function NdjsonBody(type: Type, description: string): ParameterDecorator {
  return requestParam(
    (request): Lines => splitLines(streamBody(request, NDJSON_TYPE), bodyLimitOf(request)),
    ApiBody({ type, required: true, description }),
    ApiConsumes(NDJSON_TYPE),
  );
}

/** Documents an NDJSON response, each line of which is one of `types`. */
export function ApiNdjsonResponse(description: string, ...types: Type[]): MethodDecorator {
  const schema = { oneOf: types.map((type) => ({ $ref: schemaPath(type) })) };
  return applyDecorators(
    ApiExtraModels(...types),
    ApiOkResponse({ description, content: { [NDJSON_TYPE]: { schema } } }),
  );
}

/**
 * Sends a line for each row, in groups, no faster than the client reads. An error before the first group is thrown and
 * can still be sent; a later one cuts the connection before the end of the response. When the client disconnects, no
 * more rows are requested.
 */
export async function respondNdjson(
  response: Response,
  groups: AsyncGenerator<readonly object[]>,
): Promise<void> {
  try {
    for await (const rows of groups) {
      // With SQLite a group may arrive within the same turn of the event loop.
      await nextTurn();
      if (response.destroyed) return;
      if (rows.length === 0) continue;
      if (!response.headersSent) {
        response.setHeader('Cache-Control', UNTRANSFORMED);
        response.setHeader('Content-Type', NDJSON_TYPE);
      }
      if (!response.write(toNdjson(rows)) && !(await hasDrained(response))) return;
    }
  } catch (error) {
    endSending(response);
    throw error;
  }
  response.end();
  endSending(response);
}

export function toNdjson(rows: readonly object[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

/** Waits for the client to read; false if it has disconnected, or leaves the response unread. */
async function hasDrained(response: Response): Promise<boolean> {
  const limit = setTimeout(() => response.destroy(), MAX_PAUSE_MS);
  const settled = new AbortController();
  const { signal } = settled;
  try {
    await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]);
    return !response.destroyed;
  } finally {
    settled.abort();
    clearTimeout(limit);
  }
}

/** Cuts a client that continues to send: an unread body would keep the connection open indefinitely. */
export function endSending({ req: request }: Response): void {
  if (request.complete) return;
  request.resume();
  const linger = setTimeout(() => request.destroy(), LINGER_MS);
  request.once('close', () => clearTimeout(linger));
}
