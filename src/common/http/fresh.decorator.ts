import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { Request } from 'express';
import { documentParameter } from '../document-parameter';

/** RFC 9111, section 5.2.1; only an age of zero is one that an answer from memory cannot have. */
const WANTS_FRESH = /^(no-cache|no-store|max-age=(0+|"0+"))$/i;

/** Parameter decorator: whether `Cache-Control` of the request wants an answer that is not from memory. */
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
