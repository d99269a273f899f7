import {
  MAX_RANGE_PROPERTIES,
  type UserGroupRange,
} from '../../../platform/common/access/user-group-range.ts';
import { ValidationFailed } from '../../../platform/common/problem/errors.ts';
import type { Dialect } from '../../../platform/database/dialect.ts';
import type { SqlParameter } from '../../../platform/database/statement.ts';
import type { UserGroupFilterDto } from './dto/user-group-query.dto.ts';
import { currentTime, fromWireTime } from '../../../platform/common/time.ts';
import { narrowings, statusConditions } from '../status/status-conditions.ts';
import { IS_ENDED_TOGETHER, IS_PREDECESSOR } from '../token/user-group-token.repository.ts';
import { toScalar } from './property-value.ts';
import { foldCase } from '../../../platform/common/fold-case.ts';
import type { JsonObject } from '../../../platform/common/json/strict-json.ts';

export const ENDS =
  'g.valid_until > CAST(:endsAfter AS bigint) AND g.valid_until < CAST(:endsBefore AS bigint)';

const IN_OVERLAP = `EXISTS (
  SELECT 1 FROM user_group_token t
  WHERE t.user_group_id = g.id AND t.valid_until > CAST(:now AS bigint) AND ${IS_PREDECESSOR}
    AND (${IS_ENDED_TOGETHER}) IS NOT TRUE)`;

const RANGE_PROPERTIES = Array.from({ length: MAX_RANGE_PROPERTIES }, (_, n) => n);

export const hasIdOfRange = ({ isOneOf }: Dialect) => isOneOf('g.provided_id', ':rangeIds');

/** Conditions by filter; a statement contains those of the given filters. */
const conditions: Record<string, string | ((dialect: Dialect) => string)> = {
  namePrefix: 'substr(g.name, 1, length(CAST(:namePrefix AS text))) = CAST(:namePrefix AS text)',
  hasProperty: ({ hasMember }) => hasMember('g.properties', ':propertyName'),
  propertyIs: ({ memberIs }) => memberIs('g.properties', ':propertyName', ':propertyValue'),
  rangeIds: hasIdOfRange,
  ...Object.fromEntries(
    RANGE_PROPERTIES.map((n) => [
      `rangeIs${n}`,
      ({ memberIs }: Dialect) => memberIs('g.properties', `:rangeName${n}`, `:rangeValue${n}`),
    ]),
  ),
  ends: ENDS,
  inOverlap: IN_OVERLAP,
  notInOverlap: `NOT ${IN_OVERLAP}`,
  ...statusConditions,
};

export interface UserGroupFilters {
  names: readonly string[];
  parameters: Record<string, SqlParameter>;
  /** Whether the parameter `few` has the ids of all groups that can pass. */
  isFew?: boolean;
}

/** Returns the filters that leave the groups of a range, with their parameters. */
function ofRange(range: UserGroupRange | null): Record<string, Record<string, SqlParameter>> {
  if (range?.ids) return { rangeIds: { rangeIds: range.ids } };
  const properties = Object.entries(range?.where ?? {}).map(([name, value], n) => [
    `rangeIs${n}`,
    { [`rangeName${n}`]: name, [`rangeValue${n}`]: JSON.stringify(value) },
  ]);
  return Object.fromEntries(properties) as Record<string, Record<string, SqlParameter>>;
}

/** @throws ValidationFailed */
export function toFilters(
  query: UserGroupFilterDto,
  range: UserGroupRange | null,
): UserGroupFilters {
  const {
    name_prefix: namePrefix,
    property_name: propertyName,
    property_value: value,
    status,
  } = query;
  if (value !== undefined && propertyName === undefined) {
    const detail = 'The query has a property_value, so it needs a property_name.';
    throw new ValidationFailed([
      { in: 'query', pointer: '/property_name', code: 'required', detail },
    ]);
  }
  const { valid_until_after: after, valid_until_before: before, in_overlap: inOverlap } = query;
  const now = currentTime();
  const given: Record<string, Record<string, SqlParameter> | undefined> = {
    ...ofRange(range),
    namePrefix:
      namePrefix === undefined ? undefined : { namePrefix, nameEnd: endOfPrefix(namePrefix) },
    hasProperty: propertyName === undefined || value !== undefined ? undefined : { propertyName },
    propertyIs:
      propertyName === undefined || value === undefined
        ? undefined
        : { propertyName, propertyValue: toScalar(value).json },
    ends:
      after === undefined && before === undefined
        ? undefined
        : {
            endsAfter: after === undefined ? -1 : fromWireTime(after),
            endsBefore: before === undefined ? Number.MAX_SAFE_INTEGER : fromWireTime(before),
          },
    inOverlap: inOverlap === 'true' ? { now } : undefined,
    notInOverlap: inOverlap === 'false' ? { now } : undefined,
    ...(status && { [status]: { now } }),
  };
  const filters = Object.entries(given).filter(([, parameters]) => parameters !== undefined);
  const names = filters.map(([name]) => name);
  return {
    names,
    parameters: Object.assign({}, ...filters.map(([, parameters]) => parameters)) as Record<
      string,
      SqlParameter
    >,
  };
}

/** Returns the least text, in the order of code points, above all that begin with the prefix; null if there is none. */
function endOfPrefix(prefix: string): string | null {
  const points = Array.from(prefix.replace(/\u{10ffff}+$/u, ''), (character) =>
    character.codePointAt(0)!,
  );
  const last = points.pop();
  if (last === undefined) return null;
  // Half of a surrogate pair is no code point of a text.
  return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
}

/**
 * Returns SQL to append to other conditions, by which an index finds the groups that can pass the filters.
 * @param isByCreation whether they are read in the order of these indexes: in another, all that an index has would be sorted
 */
export function narrowingOf(
  { isFew, names }: UserGroupFilters,
  dialect: Dialect,
  isByCreation = true,
): string {
  if (isFew) return ` AND ${dialect.isOneOf('g.id', ':few', 'integer')}`;
  if (!isByCreation) return '';
  const found = names.map((name) => (narrowings as Partial<Record<string, string>>)[name]);
  return found.map((narrowing) => (narrowing === undefined ? '' : ` AND ${narrowing}`)).join('');
}

/** Returns the conditions of the filters on the group with the alias `g`. */
export function conditionsOf({ names }: UserGroupFilters, dialect: Dialect): string[] {
  return names.map((name) => {
    const condition = conditions[name]!;
    return typeof condition === 'string' ? condition : condition(dialect);
  });
}

export interface Searchable {
  providedId: string;
  name: string;
  properties: string;
}

/**
 * Returns whether a group has the text in its id, its name or a property that is a string, in any case. SQL could not
 * do it: databases differ in letters beyond ASCII, and PostgreSQL depends on its locale.
 */
export function toSearch(text: string): (group: Searchable) => boolean {
  const wanted = foldCase(text);
  // The text as JSON escapes it: most properties without it need not be parsed.
  const escaped = JSON.stringify(wanted).slice(1, -1);
  const has = (value: unknown) => typeof value === 'string' && foldCase(value).includes(wanted);
  return ({ providedId, name, properties }) =>
    has(providedId) ||
    has(name) ||
    (foldCase(properties).includes(escaped) &&
      Object.values(JSON.parse(properties) as JsonObject).some(has));
}
