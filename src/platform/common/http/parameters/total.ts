import { applyDecorators } from '@nestjs/common';
import { setImmediate } from 'node:timers/promises';
import { Flag, Integer, Nested, choiceOf, Rule } from '../../fields.ts';
import { PageQueryDto } from './page.dto.ts';

/** Leaves time for a statement more, so that the response comes within five seconds. */
const MAX_MS = 2000;

export const Count = () =>
  applyDecorators(
    Flag.optional(
      '`true` adds `total`: the number of entries that match on all pages. It costs a look at every entry.',
    ),
    Rule(choiceOf(['true', 'false'])),
  );

/** The query of a list that can be counted. */
export class CountedQueryDto extends PageQueryDto {
  @Count()
  count?: 'true' | 'false';
}

/** The number of entries of a list that match. */
export class Total {
  @Integer('The matching entries that were counted.', 1284)
  count!: number;

  @Flag(
    'Whether all are counted; otherwise there are at least as many. Counting ends after two seconds.',
    true,
  )
  exact!: boolean;
}

/** Describes the member `total` of the response to a `CountedQueryDto`. */
export const TotalOf = () =>
  Nested.optional(
    Total,
    'Number of entries that match on all pages; only if the query has `count=true`.',
  );

/**
 * Counts in parts, between which other callers are served, until there is no next part or two seconds are over.
 * @param countPart counts the entries of a part, and returns the end of the part if another may follow
 */
export async function countInParts<Position>(
  countPart: (
    after: Position | undefined,
  ) => Promise<{ count: number; end?: Position | undefined }>,
): Promise<Total> {
  const deadline = performance.now() + MAX_MS;
  let { count, end } = await countPart(undefined);
  while (end !== undefined && performance.now() < deadline) {
    await setImmediate();
    const part = await countPart(end);
    count += part.count;
    end = part.end;
  }
  return { count, exact: end === undefined };
}
