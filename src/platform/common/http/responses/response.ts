import type { Type } from '@nestjs/common';
import { BaseSchema } from '../../api-docs.ts';
import { Constant, Flag, ListOf, Nested, Text } from '../../fields.ts';

/** The response of an operation that has nothing else to say. */
export class SuccessResponse {
  @Constant(1, '1: the call succeeded.')
  success!: 1;
}

/** The response to DELETE. */
export class DeletedResponse extends SuccessResponse {}

/** The common part of the responses with one page of a list. */
@BaseSchema('Page')
class PageResponse extends SuccessResponse {
  @Flag('Whether another page follows.', false)
  has_more!: boolean;

  @Text.optional('The `cursor` of the next page; absent on the last.', 'WzUwXQ')
  next_cursor?: string;
}

/** Makes the class of a response with an object: `class ThingResponse extends response('thing', ThingView, '…') {}`. */
export function response<Name extends string, View>(
  name: Name,
  view: Type<View>,
  description: string,
): new () => { success: 1 } & Record<Name, View> {
  class Response extends SuccessResponse {}
  Nested(view, description)(Response.prototype, name);
  return Response as new () => Response & Record<Name, View>;
}

/** Makes the class of a response with one page of a list, as `response` does. */
export function page<Name extends string, View>(
  name: Name,
  view: Type<View>,
  description: string,
): new () => PageResponse & Record<Name, View[]> {
  class Response extends PageResponse {}
  ListOf(view, description)(Response.prototype, name);
  return Response as new () => Response & Record<Name, View[]>;
}
