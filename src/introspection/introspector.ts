import { Injectable } from '@nestjs/common';
import { type Caller, requireScope } from '../common/caller.ts';
import { dtoFromObject } from '../common/json/dto-from-object.ts';
import type { IntrospectionAnswer } from './dto/introspection-answer.dto.ts';
import { IntrospectDto } from './dto/introspect.dto.ts';
import { IntrospectionService } from './introspection.service.ts';

/** Introspection for code in the same process. */
@Injectable()
export class Introspector {
  constructor(private readonly introspection: IntrospectionService) {}

  /**
   * Describes whose token it is; exactly `{ active: false }` for any other text. No answer is more than a
   * second out of date.
   * @param options.isFresh asks the database, whatever is in memory
   * @throws ValidationFailed, InsufficientScope
   */
  async introspect(
    caller: Caller,
    body: Pick<IntrospectDto, 'token' | 'schema_id'>,
    { isFresh = false }: { isFresh?: boolean } = {},
  ): Promise<IntrospectionAnswer> {
    requireScope(caller, 'tokens:introspect');
    return this.introspection.introspect(caller, dtoFromObject(IntrospectDto, body), isFresh);
  }
}
