import { Injectable } from '@nestjs/common';
import { type Caller, requireScope } from '../common/caller.ts';
import { dtoFromObject } from '../common/json/dto-from-object.ts';
import type { IntrospectionAnswer } from './dto/introspection-answer.dto.ts';
import { IntrospectDto } from './dto/introspect.dto.ts';
import { IntrospectionService } from './introspection.service.ts';

/** What can be said about an introspection beside its body. */
export interface IntrospectionOptions {
  /** Asks the database, whatever is in memory; false by default. */
  isFresh?: boolean;
}

/** Introspection for code in the same process. */
@Injectable()
export class Introspector {
  /** @internal Nest makes it. */
  constructor(private readonly introspection: IntrospectionService) {}

  /**
   * Describes whose token it is; exactly `{ active: false }` for any other text. No answer is more than a
   * second out of date.
   * @throws ValidationFailed, InsufficientScope
   */
  async introspect(
    caller: Caller,
    body: Pick<IntrospectDto, 'token' | 'schema_id'>,
    { isFresh = false }: IntrospectionOptions = {},
  ): Promise<IntrospectionAnswer> {
    requireScope(caller, 'tokens:introspect');
    return this.introspection.introspect(caller, dtoFromObject(IntrospectDto, body), isFresh);
  }
}
