import { applyDecorators } from '@nestjs/common';
import { digits, Integer, Rule, Text } from '../../fields.ts';
import { ValidationFailed } from '../../problem/errors.ts';
import { inQuery, type Violation } from '../../problem/violation.ts';

const DEFAULT_LIMIT = 50;
export const MAX_LIMIT = 200;
/** Bound of the rows of a page, without the last one. */
const MAX_BYTES = 256 * 1024;
/** A page of the default limit takes one statement. */
const FIRST_PART = DEFAULT_LIMIT + 1;
/** A name of 255 code points, each escaped in JSON, and a number; encrypted for a restricted caller. */
const MAX_CURSOR_LENGTH = 4000;

export type SortKey = number | string;

export const Limit = () =>
  applyDecorators(
    Integer.optional(
      'Maximum number of entries per page. A page of large entries ends sooner, at about 256 KB; `next_cursor` continues the list.',
      undefined,
      { minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT },
    ),
    Rule(digits(1, MAX_LIMIT)),
  );

export const Cursor = () =>
  applyDecorators(
    Text.optional('`next_cursor` of the previous page. Leave it out for the first page.'),
    Rule(cursorViolations),
  );

/** The query of a list. */
export class PageQueryDto {
  @Limit()
  limit?: string;

  @Cursor()
  cursor?: string;
}

/** The part of a page that says whether another follows. */
export interface ListPage {
  has_more: boolean;
  /** Undefined on the last page. */
  next_cursor?: string;
}

export interface Page<T> extends ListPage {
  rows: T[];
}

export function limitOf({ limit }: PageQueryDto): number {
  return limit === undefined ? DEFAULT_LIMIT : Number(limit);
}

/**
 * Reads the sort keys after which the page begins; undefined for the first page.
 * @throws ValidationFailed if the cursor belongs to another list
 */
export function positionOf<Type extends 'number' | 'string'>(
  { cursor }: PageQueryDto,
  types: readonly Type[],
): ('string' extends Type ? SortKey : number)[] | undefined {
  if (cursor === undefined) return undefined;
  const position = decode(cursor) ?? [];
  const isOfList =
    position.length === types.length && position.every((key, index) => typeof key === types[index]);
  if (!isOfList) throw new ValidationFailed(inQuery([wrongCursor('/cursor')]));
  return position as ReturnType<typeof positionOf<Type>>;
}

/**
 * Cuts one page out of `rows`, which hold one more than `limit`.
 * @param keysOf the keys that the list is sorted by
 * @param searchedUpTo the keys of the last examined row, if a filter left rows out
 */
export function toPage<T>(
  rows: T[],
  limit: number,
  keysOf: (row: T) => SortKey[],
  searchedUpTo?: readonly SortKey[],
): Page<T> {
  if (rows.length <= limit) {
    return { rows, ...nextAfter(searchedUpTo) };
  }
  const page = rows.slice(0, limit);
  return { rows: page, ...nextAfter(keysOf(page.at(-1)!)) };
}

/** Returns `has_more` and `next_cursor` for the sort keys of the last row; no keys end the list. */
export function nextAfter(keys: readonly SortKey[] | undefined): ListPage {
  return keys === undefined ? { has_more: false } : { has_more: true, next_cursor: toCursor(keys) };
}

/**
 * Returns the number of rows on a page: `limit`, or fewer if they are large. The row that reaches 256 KiB is the last.
 */
export function limitBySize<T>(
  rows: readonly T[],
  limit: number,
  sizeOf: (row: T) => number,
): number {
  let bytes = 0;
  for (const [index, row] of rows.slice(0, limit).entries()) {
    bytes += sizeOf(row);
    if (bytes >= MAX_BYTES) return index + 1;
  }
  return limit;
}

/**
 * Reads the rows of a page in parts: only the rows of the page, and the one after it.
 * @param read reads the next rows after a row
 * @returns the rows, and the number of them on the page
 */
export async function readPage<T>(
  limit: number,
  sizeOf: (row: T) => number,
  read: (limit: number, after: T | undefined) => Promise<T[]>,
): Promise<{ found: T[]; limit: number }> {
  const found: T[] = [];
  for (let part = Math.min(limit + 1, FIRST_PART); ;) {
    const rows = await read(part, found.at(-1));
    found.push(...rows);
    const fitting = limitBySize(found, limit, sizeOf);
    if (rows.length < part || fitting < found.length) return { found, limit: fitting };
    const bytes = found.reduce((sum, row) => sum + sizeOf(row), 0);
    const room = Math.ceil((found.length * Math.max(0, MAX_BYTES - bytes)) / bytes) + 1;
    part = Math.min(limit + 1 - found.length, room);
  }
}

function toCursor(keys: readonly SortKey[]): string {
  return Buffer.from(JSON.stringify(keys)).toString('base64url');
}

function cursorViolations(value: unknown, pointer: string): Violation[] {
  const isCursor = typeof value === 'string' && value.length <= MAX_CURSOR_LENGTH && decode(value);
  return isCursor ? [] : [wrongCursor(pointer)];
}

function wrongCursor(pointer: string): Violation {
  const detail = 'The cursor must be the next_cursor of a response of the same list.';
  return { pointer, code: 'not_acceptable', detail };
}

function decode(cursor: string): SortKey[] | undefined {
  try {
    const keys: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    const isList = Array.isArray(keys) && keys.length > 0 && keys.every(isSortKey);
    return isList && toCursor(keys) === cursor ? keys : undefined;
  } catch {
    return undefined;
  }
}

function isSortKey(key: unknown): key is SortKey {
  return Number.isSafeInteger(key) || (typeof key === 'string' && !key.includes('\0'));
}
