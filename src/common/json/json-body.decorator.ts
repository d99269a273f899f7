import {
  createParamDecorator,
  type ExecutionContext,
  SetMetadata,
  type Type,
} from '@nestjs/common';
import type { Request } from 'express';
import { ApiBody, ApiConsumes } from '../api-docs.ts';
import { documentParameter } from '../document-parameter.ts';
import { ValidationFailed } from '../errors.ts';
import { refuseSecondSecret } from '../http/client-secret.ts';
import { findRepeated, parseFormBody } from '../http/form.ts';
import { BODY_LIMIT_SETTING } from '../http/http-settings.ts';
import { dtoFromJson } from './json-dto.ts';
import { toPointer } from './json-pointer.ts';
import {
  type Body,
  type BodyType,
  FORM_TYPE,
  JSON_TYPE,
  PATCH_TYPES,
  readArrivedBody,
  readBody,
} from './read-body.ts';
import { parseStrictJson } from './strict-json.ts';
import { checkedDto } from './to-dto.ts';

const BODY_METADATA = 'json:body';

/** Whether the handler has a `JsonBody`. */
export function readsBody(handler: object): boolean {
  return Reflect.hasMetadata(BODY_METADATA, handler);
}

/** What a body may be, and what it may hold. Those that can be are false by default. */
export interface BodyOptions {
  /** Whether a form may be sent instead, each field a string. */
  form?: boolean;
  /**
   * Whether other fields are ignored, as `/api/user` and RFC 7662 require. By default they are refused,
   * because a misspelt field would silently leave out what it asks for.
   */
  lenient?: boolean;
  /** The most bytes, where they are fewer than BODY_LIMIT. */
  limit?: number;
}

/**
 * Parameter decorator: the request's JSON body as an instance of `type`, checked by the rules on
 * its properties, and the body in the OpenAPI document. The body of a PATCH is JSON or a JSON Merge
 * Patch (RFC 7396), which the handler applies. A field of `type` is a property with a
 * rule; other fields are refused. It reads the body itself, after the guard, so that nobody without
 * a valid API token can make the service read or parse anything.
 */
export function JsonBody<T extends object>(
  type: Type<T>,
  { form = false, lenient = false, limit: most = Infinity }: BodyOptions = {},
): ParameterDecorator {
  const types: BodyType[] = form ? [JSON_TYPE, FORM_TYPE] : [JSON_TYPE];
  const typesOf = ({ method }: Request) => (method === 'PATCH' ? PATCH_TYPES : types);
  const parse = (request: Request, body: Body): T =>
    body.type === FORM_TYPE
      ? checkedDto(type, fromForm(request, body.bytes))
      : dtoFromJson(type, parseStrictJson(body.bytes), { lenient });
  // A valid body that has arrived takes no promise. Any fault rejects one, so that faults of the
  // header fields, which are found at once, are reported first.
  const factory = (_data: unknown, context: ExecutionContext): T | Promise<T> => {
    const request = context.getArgByIndex<Request>(0);
    const limit = Math.min(most, request.app.get(BODY_LIMIT_SETTING) as number);
    try {
      const arrived = readArrivedBody(request, limit, typesOf(request));
      if (arrived) return parse(request, arrived);
    } catch (error) {
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- whatever was thrown
      return Promise.reject(error);
    }
    return readBody(request, limit, typesOf(request)).then((body) => parse(request, body));
  };
  const document = documentParameter(
    SetMetadata(BODY_METADATA, true),
    ApiBody({ type, required: true }),
    ...(form ? [ApiConsumes(...types)] : []),
  );
  return createParamDecorator(factory, [document])();
}

function fromForm(request: Request, bytes: Buffer): object {
  const parameters = parseFormBody(bytes);
  refuseSecondSecret(request, parameters);
  const repeated = findRepeated(parameters);
  if (repeated !== undefined) {
    const detail = 'The form must name each parameter once.';
    throw new ValidationFailed([{ pointer: toPointer([repeated]), code: 'repeated', detail }]);
  }
  return Object.fromEntries(parameters);
}
