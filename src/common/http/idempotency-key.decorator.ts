import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { ApiHeader } from '../api-docs.ts';
import { documentParameter } from '../document-parameter.ts';
import { IdempotencyKeyInvalid } from '../errors.ts';

const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/;

/** @throws IdempotencyKeyInvalid */
export function requireIdempotencyKey(key: string): void {
  if (!VISIBLE_ASCII.test(key)) throw new IdempotencyKeyInvalid();
}

/**
 * Parameter decorator: the `Idempotency-Key` header (draft-ietf-httpapi-idempotency-key-header), as it
 * stands, quoted or not; undefined if it was not sent.
 */
export function IdempotencyKeyHeader(): ParameterDecorator {
  const factory = (_data: unknown, context: ExecutionContext): string | undefined => {
    const { headersDistinct } = context.switchToHttp().getRequest<Request>();
    const given = headersDistinct['idempotency-key'];
    if (given === undefined) return undefined;
    const [key = ''] = given;
    if (given.length !== 1) throw new IdempotencyKeyInvalid();
    requireIdempotencyKey(key);
    return key;
  };
  const document = documentParameter(
    ApiHeader({
      name: 'Idempotency-Key',
      description:
        'Any text of 1–255 visible ASCII characters, new for each rotation you mean. The same call with the same key and API token within 24 hours is done once and answered the same.',
      required: false,
      schema: { type: 'string', minLength: 1, maxLength: 255 },
    }),
  );
  return createParamDecorator(factory, [document])();
}
