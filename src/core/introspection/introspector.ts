import { Injectable } from '@nestjs/common';
import { type Caller, requireScope } from '../../platform/common/access/caller.ts';
import { dtoFromObject } from '../../platform/common/json/dto-from-object.ts';
import type { IntrospectionResponse } from './dto/introspection-response.dto.ts';
import { IntrospectionRequest } from './dto/introspect.dto.ts';
import { IntrospectionService } from './introspection.service.ts';

/** Options of an introspection. */
export interface IntrospectionOptions {
  /** Reads the database instead of the cache; false by default. */
  isFresh?: boolean;
}

/** Introspection for code in the same process. */
@Injectable()
export class Introspector {
  /** @internal */
  constructor(private readonly introspection: IntrospectionService) {}

  /**
   * Describes the owner of a token; exactly `{ active: false }` for any other text. No response is more than a second
   * out of date.
   * @throws ValidationFailed, InsufficientScope
   */
  async introspect(
    caller: Caller,
    body: Pick<IntrospectionRequest, 'token' | 'schema_id'>,
    { isFresh = false }: IntrospectionOptions = {},
  ): Promise<IntrospectionResponse> {
    requireScope(caller, 'tokens:introspect');
    return this.introspection.introspect(
      caller,
      dtoFromObject(IntrospectionRequest, body),
      isFresh,
    );
  }
}
