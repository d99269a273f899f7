import {
  applyDecorators,
  createParamDecorator,
  type ExecutionContext,
  type Type,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ApiBody, ApiConsumes, ApiExtraModels, ApiOkResponse, schemaPath } from '../api-docs.ts';
import { documentParameter } from '../document-parameter.ts';
import { BODY_LIMIT_SETTING, UNTRANSFORMED } from './http-settings.ts';
import { type Line, splitLines } from './lines.ts';
import { streamBody } from './streamed-body.ts';

/** One JSON text for each line. */
export const NDJSON_TYPE = 'application/x-ndjson';

/** For how long a client may leave its answer unread. */
const LONGEST_PAUSE_MS = 30_000;
/** For how long a client that is still sending may take to read an answer that is complete. */
const LINGER_MS = 1000;

/** The lines of a body, in groups as they arrive. */
export type Lines = AsyncIterable<Line[]>;

/**
 * Parameter decorator: the request's NDJSON body as `Lines`, each within BODY_LIMIT, read on
 * demand; also describes the body in the OpenAPI document.
 * @param type what a line is
 */
export function NdjsonBody(type: Type, description: string): ParameterDecorator {
  const factory = (_data: unknown, context: ExecutionContext): Lines => {
    const request = context.switchToHttp().getRequest<Request>();
    const limit = request.app.get(BODY_LIMIT_SETTING) as number;
    return splitLines(streamBody(request, NDJSON_TYPE), limit);
  };
  const document = documentParameter(
    ApiBody({ type, required: true, description }),
    ApiConsumes(NDJSON_TYPE),
  );
  return createParamDecorator(factory, [document])();
}

/** Documents an NDJSON answer, each line of which is one of `types`. */
export function ApiNdjsonResponse(description: string, ...types: Type[]): MethodDecorator {
  const schema = { oneOf: types.map((type) => ({ $ref: schemaPath(type) })) };
  return applyDecorators(
    ApiExtraModels(...types),
    ApiOkResponse({ description, content: { [NDJSON_TYPE]: { schema } } }),
  );
}

/**
 * Answers with a line for each row, in groups, no faster than the client reads. An error before the
 * first group is thrown and can still be answered; a later one cuts the connection before the end
 * of the answer. When the client goes away, no more rows are requested.
 */
export async function answerNdjson(
  response: Response,
  groups: AsyncGenerator<readonly object[]>,
): Promise<void> {
  try {
    for await (const rows of groups) {
      // On the embedded database a group may arrive within the same turn of the event loop.
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

/** Serialises the rows, a line each. */
export function toNdjson(rows: readonly object[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

/** Waits for the client to read; false if it has gone, or leaves the answer unread. */
function hasDrained(response: Response): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (drained: boolean) => {
      clearTimeout(limit);
      response.off('drain', onDrain);
      response.off('close', onClose);
      resolve(drained);
    };
    const onDrain = () => {
      settle(true);
    };
    const onClose = () => {
      settle(false);
    };
    const limit = setTimeout(() => response.destroy(), LONGEST_PAUSE_MS);
    response.once('drain', onDrain);
    response.once('close', onClose);
  });
}

/** Cuts a client that goes on sending: an unread body would keep the connection open for ever. */
function endSending({ req: request }: Response): void {
  if (request.complete) return;
  request.resume();
  const linger = setTimeout(() => request.destroy(), LINGER_MS);
  request.once('close', () => {
    clearTimeout(linger);
  });
}
