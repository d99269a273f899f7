import { RequestMethod, SetMetadata, type Type } from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/constants.js';
import type { Request } from 'express';
import { ApiBody, ApiConsumes, ApiSchema } from '../api-docs.ts';
import { BodyMissing, ValidationFailed } from '../problem/errors.ts';
import { refuseSecondSecret } from '../http/parameters/client-secret.ts';
import { findRepeated, parseFormBody } from '../http/parameters/form.ts';
import { bodyLimitOf } from '../http/server/http-settings.ts';
import { requestParam } from '../http/parameters/request-params.ts';
import { dtoFromJson } from './json-dto.ts';
import { toPointer } from '../json-pointer.ts';
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
import { checkedDto, ruleViolations } from './to-dto.ts';

const BODY_METADATA = 'json:body';
/** The body of a request that has none, where it may be omitted. */
const OMITTED: Body = { bytes: Buffer.from('{}'), type: JSON_TYPE };

export function readsBody(handler: object): boolean {
  return Reflect.hasMetadata(BODY_METADATA, handler);
}

/** Flags are false by default. */
export interface BodyOptions {
  /** Whether a form may be sent instead, each field a string. */
  form?: boolean;
  /**
   * Whether other fields are ignored, as `/api/user` and RFC 7662 require. Otherwise they are refused: a misspelt field
   * would silently have no effect.
   */
  lenient?: boolean;
  /** Whether a request needs a body although no field is required by itself. */
  needed?: boolean;
  /** Largest size in bytes, if smaller than BODY_LIMIT. */
  limit?: number;
}

/**
 * Parameter decorator: the request's JSON body as an instance of `type`, checked by the rules on its properties; also
 * describes it in the OpenAPI document. The body of a PATCH is JSON or a JSON Merge Patch (RFC 7396), which the handler
 * applies. A field of `type` is a property with a rule; other fields are refused. If every field is optional, a
 * request without a body means `{}`; only a PATCH needs one, since a lost body would look like a change that succeeded.
 * It reads the body itself, after the guard, so that nobody without a valid API token can make the service read or
 * parse anything.
 */
export function JsonBody<T extends object>(
  type: Type<T>,
  { form = false, lenient = false, needed = false, limit: most = Infinity }: BodyOptions = {},
): ParameterDecorator {
  const types: BodyType[] = form ? [JSON_TYPE, FORM_TYPE] : [JSON_TYPE];
  const typesOf = ({ method }: Request) => (method === 'PATCH' ? PATCH_TYPES : types);
  const parse = (request: Request, body: Body): T =>
    body.type === FORM_TYPE
      ? checkedDto(type, fromForm(request, body.bytes))
      : dtoFromJson(type, parseStrictJson(body.bytes), { lenient });
  const isOptional = !needed && ruleViolations(new type()).length === 0;
  const isOmitted = (error: unknown, { method }: Request) =>
    isOptional && method !== 'PATCH' && error instanceof BodyMissing;
  // A valid body that has arrived takes no promise. Any fault rejects one, so that faults of the header
  // fields, which are found at once, are reported first.
  const read = (request: Request): T | Promise<T> => {
    const limit = Math.min(most, bodyLimitOf(request));
    try {
      const arrived = readArrivedBody(request, limit, typesOf(request));
      if (arrived) return parse(request, arrived);
    } catch (error) {
      if (isOmitted(error, request)) return parse(request, OMITTED);
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- whatever was thrown
      return Promise.reject(error);
    }
    return readBody(request, limit, typesOf(request))
      .catch((error: unknown) => {
        if (isOmitted(error, request)) return OMITTED;
        throw error;
      })
      .then((body) => parse(request, body));
  };
  if (!lenient) ApiSchema({ additionalProperties: false })(type);
  return requestParam(
    read,
    SetMetadata(BODY_METADATA, true),
    describeBody(type, isOptional),
    ...(form ? [ApiConsumes(...types)] : []),
  );
}

function describeBody(type: Type, isOptional: boolean): MethodDecorator {
  return (target, method, descriptor) => {
    const handler = descriptor.value as object;
    const options = {
      type,
      // Read when the document is built: the method of the handler is not known before.
      get required() {
        return !isOptional || Reflect.getMetadata(METHOD_METADATA, handler) === RequestMethod.PATCH;
      },
    };
    ApiBody(options)(target, method, descriptor);
  };
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
