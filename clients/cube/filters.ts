import type { CubeFilter } from './cube-types.js';

/** Operators that compare whole values. The others find parts of texts: an empty one would find every row. */
const OPERATORS = new Set([
  'equals',
  'notEquals',
  'gt',
  'gte',
  'lt',
  'lte',
  'inDateRange',
  'notInDateRange',
  'beforeDate',
  'beforeOrOnDate',
  'afterDate',
  'afterOrOnDate',
]);
const WITHOUT_VALUES = new Set(['set', 'notSet']);

/** A fault of the filters that the host has written. The message shows no value of a variable. */
export class FilterError extends Error {
  override readonly name = 'FilterError';
}

/**
 * Returns filters as Cube takes them.
 * @param value the result of a function of the host
 * @throws FilterError if one would hold for every row, or is none: a filter never disappears
 */
export function filtersOf(value: unknown): CubeFilter[] {
  if (value instanceof Promise) {
    throw new FilterError('filters has to return a list, and has returned a promise');
  }
  return listOf(value, 'filters has to return at least one filter');
}

function listOf(value: unknown, reason: string): CubeFilter[] {
  if (!Array.isArray(value) || value.length === 0) throw new FilterError(reason);
  // Unlike `map`, it passes over no hole.
  return Array.from(value, filterOf);
}

function filterOf(value: unknown): CubeFilter {
  if (typeof value !== 'object' || value === null) throw new FilterError('a filter is no object');
  const names = Object.keys(value).sort().join(' ');
  const { and, or, member, operator, values } = value as Record<string, unknown>;
  if (names === 'and') return { and: listOf(and, 'the list of and is empty') };
  if (names === 'or') return { or: listOf(or, 'the list of or is empty') };
  if (typeof member !== 'string' || member === '') throw new FilterError('a filter has no member');
  if (typeof operator !== 'string') {
    throw new FilterError(`the filter on ${member} has no operator`);
  }
  if (WITHOUT_VALUES.has(operator) && names === 'member operator') return { member, operator };
  if (names !== 'member operator values') {
    throw new FilterError(`the filter on ${member} has to have member, operator and values alone`);
  }
  if (!OPERATORS.has(operator)) {
    throw new FilterError(`the filter on ${member} has the operator ${operator}`);
  }
  return { member, operator, values: textsOf(values, member) };
}

function textsOf(values: unknown, member: string): string[] {
  if (!Array.isArray(values) || values.length === 0) {
    throw new FilterError(`the filter on ${member} has no values`);
  }
  return Array.from(values, (value: unknown) => {
    if (typeof value === 'string') return value;
    const isExact =
      typeof value === 'boolean' || typeof value === 'bigint' || Number.isFinite(value);
    // Cube takes null for rows without a value.
    if (!isExact) throw new FilterError(`a value of the filter on ${member} is missing`);
    return String(value);
  });
}

/** Lists of a query whose entries are names of members. */
const NAMES = ['measures', 'dimensions', 'segments'];

/** Whether a query has SQL or code in it, which could go round a filter. The REST API of Cube has no use for it. */
export function hasExpressions(query: Readonly<Record<string, unknown>>): boolean {
  const isName = (name: unknown) => typeof name === 'string' && !name.trimStart().startsWith('{');
  const { subqueryJoins = [] } = query;
  if (!Array.isArray(subqueryJoins) || subqueryJoins.length > 0) return true;
  return NAMES.some((list) => {
    const { [list]: names = [] } = query;
    return !Array.isArray(names) || !names.every(isName);
  });
}
