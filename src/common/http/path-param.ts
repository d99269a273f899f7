import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { ApiParam } from '../api-docs.ts';
import { documentParameter } from '../document-parameter.ts';
import { type ServiceError, UserGroupNotFound, ValidationFailed } from '../errors.ts';
import type { Violation } from '../violation.ts';
import { identifierViolations } from '../text.ts';

interface PathParamOptions<T> {
  description: string;
  schema: { type: 'integer' | 'string'; minimum?: number; minLength?: number; maxLength?: number };
  example: T & (string | number);
  /** @throws an error for a text that cannot name anything */
  read: (text: string) => T;
}

/**
 * Parameter decorator: a number in the path, such as `:id`. An impossible number is answered like
 * one that does not exist.
 */
export function NumberParam(name: string, NotFound: new () => ServiceError): ParameterDecorator {
  return pathParam(name, {
    description: 'Its number.',
    schema: { type: 'integer', minimum: 1 },
    example: 2,
    read: (text) => {
      if (!/^[1-9]\d{0,8}$/.test(text)) throw new NotFound();
      return Number(text);
    },
  });
}

/** Parameter decorator: the `:id` of a user group in the path, which is the caller's own id for it. */
export function ProvidedIdParam(): ParameterDecorator {
  return providedIdParam(() => new UserGroupNotFound());
}

/** As `ProvidedIdParam`, where the group need not exist: an impossible id is not acceptable. */
export function NewProvidedIdParam(): ParameterDecorator {
  return providedIdParam((violations) => new ValidationFailed(violations));
}

function providedIdParam(toError: (violations: Violation[]) => ServiceError): ParameterDecorator {
  return pathParam('id', {
    description: 'Your own id of the user group, percent-encoded.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
    example: 'acme-emea',
    read: (text) => {
      const violations = identifierViolations(text, '/user_group_id');
      if (violations.length > 0) throw toError(violations);
      return text;
    },
  });
}

/** Makes a parameter decorator: a parameter of the path as `read` takes it. */
export function pathParam<T>(name: string, options: PathParamOptions<T>): ParameterDecorator {
  const { description, schema, example, read } = options;
  const factory = (_data: unknown, context: ExecutionContext): T => {
    const { params } = context.switchToHttp().getRequest<Request<Record<string, string>>>();
    return read(params[name] ?? '');
  };
  const document = documentParameter(ApiParam({ name, description, schema, example }));
  return createParamDecorator(factory, [document])();
}
