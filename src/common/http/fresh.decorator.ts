import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { ApiHeader } from '../api-docs.ts';
import { documentParameter } from '../document-parameter.ts';

/** RFC 9111, section 5.2.1. An answer from a cache satisfies any age but zero. */
const WANTS_FRESH = /^(no-cache|no-store|max-age=(0+|"0+"))$/i;

/** Parameter decorator: whether `Cache-Control` of the request rejects an answer from a cache. */
export function Fresh(): ParameterDecorator {
  const factory = (_data: unknown, context: ExecutionContext): boolean => {
    const { headers } = context.switchToHttp().getRequest<Request>();
    const directives = headers['cache-control']?.split(',') ?? [];
    return directives.some((directive) => WANTS_FRESH.test(directive.trim()));
  };
  const document = documentParameter(
    ApiHeader({
      name: 'Cache-Control',
      description:
        '`no-cache` (or `no-store`, `max-age=0`) asks the database. Without it the answer may be from memory, and was true less than a second ago.',
      required: false,
      schema: { type: 'string' },
    }),
  );
  return createParamDecorator(factory, [document])();
}
