import { ValidationFailed } from '../../common/problem/errors.ts';
import type { Dialect } from '../../database/dialect.ts';
import type { SqlValue } from '../../database/statement.ts';
import { isResolvable } from '../../mapping/resolution.ts';
import type { UserGroupQueryDto } from './dto/user-group-query.dto.ts';
import { toScalar } from './property-value.ts';
import { foldCase } from '../../common/fold-case.ts';
import type { JsonObject } from '../../common/json/strict-json.ts';

/** Conditions by filter; a statement contains those of the given filters. */
const conditions: Record<string, (dialect: Dialect) => string> = {
  namePrefix: () => 'substr(g.name, 1, length(CAST(:namePrefix AS text))) = CAST(:namePrefix AS text)',
  hasProperty: ({ hasMember }) => hasMember('g.properties', ':propertyName'),
  propertyIs: ({ memberIs }) => memberIs('g.properties', ':propertyName', ':propertyValue'),
  suspended: () => 'g.suspended_at IS NOT NULL',
  notSuspended: () => 'g.suspended_at IS NULL',
  resolvable: (dialect) => isResolvable(dialect),
  notResolvable: (dialect) => `NOT ${isResolvable(dialect)}`,
};

export interface UserGroupFilters {
  names: readonly string[];
  /** Numbers that stand for the names: PostgreSQL would truncate a long name of a statement. */
  numbers: readonly number[];
  parameters: Record<string, SqlValue>;
  /** Whether to read the entries of mappings, too. */
  readMappings: boolean;
}

/** @throws ValidationFailed */
export function toFilters(query: UserGroupQueryDto): UserGroupFilters {
  const { name_prefix: namePrefix, property_name: propertyName, property_value: value } = query;
  if (value !== undefined && propertyName === undefined) {
    const detail = 'The query has a property_value, so it needs a property_name.';
    throw new ValidationFailed([{ in: 'query', pointer: '/property_name', code: 'required', detail }]);
  }
  const given: Record<keyof typeof conditions, Record<string, SqlValue> | undefined> = {
    namePrefix: namePrefix === undefined ? undefined : { namePrefix },
    hasProperty: propertyName === undefined || value !== undefined ? undefined : { propertyName },
    propertyIs:
      propertyName === undefined || value === undefined
        ? undefined
        : { propertyName, propertyValue: toScalar(value).json },
    suspended: query.suspended === 'true' ? {} : undefined,
    notSuspended: query.suspended === 'false' ? {} : undefined,
    resolvable: query.resolvable === 'true' ? {} : undefined,
    notResolvable: query.resolvable === 'false' ? {} : undefined,
  };
  const filters = Object.entries(given).filter(([, parameters]) => parameters !== undefined);
  const names = filters.map(([name]) => name);
  return {
    names,
    numbers: names.map((name) => Object.keys(conditions).indexOf(name)),
    parameters: Object.assign({}, ...filters.map(([, parameters]) => parameters)) as Record<string, SqlValue>,
    readMappings: query.resolvable !== undefined,
  };
}

/** Returns the conditions of the filters on the group with the alias `g`. */
export function conditionsOf({ names }: UserGroupFilters, dialect: Dialect): string[] {
  return names.map((name) => conditions[name]!(dialect));
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
    (foldCase(properties).includes(escaped) && Object.values(JSON.parse(properties) as JsonObject).some(has));
}
