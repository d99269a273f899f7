import type { Type } from '@nestjs/common';
import { BodyTooLarge, JsonMalformed } from '../../platform/common/problem/errors.ts';
import { ServiceError } from '../../platform/common/problem/problem.ts';
import type { Line } from '../../platform/common/http/responses/lines.ts';
import { dtoFromJson } from '../../platform/common/json/json-dto.ts';
import { type JsonValue, parseStrictJson } from '../../platform/common/json/strict-json.ts';
import { toWanted } from '../../core/user-group/group/user-group-fields.ts';
import type { Wanted } from '../../core/user-group/writing/user-group-change.ts';
import type { Needed } from './bulk-writes.ts';
import { idOfLine, UserGroupLine } from './dto/import.dto.ts';
import { type RefusedLine, toRefusedLine } from './dto/import-response.dto.ts';
import type { SeenIds } from './seen-ids.ts';

/** The permission that every import needs; a line with a token also needs `tokens:rotate`. */
export const IMPORTING: Needed = ['user-groups:write', 'Importing groups'];

const ARRAY_HINT =
  ' This looks like a JSON array: an import takes an object on each line, without brackets, and without commas between them.';
const PARTS_HINT =
  ' This looks like a part of an object: an import takes the whole of it on one line.';
const COLUMNS_HINT = ' This looks like CSV: an import takes a JSON object on each line.';

const BLANK = /^[ \t\r]*$/;
const BRACE = 0x7b;

/** A parsed line with its group. */
export interface LineOfGroup<Dto = UserGroupLine> {
  line: number;
  id: string;
  dto: Dto;
}

/** A parsed line: its group, or the reason for refusing it. */
export type ReadLine<Dto = UserGroupLine> =
  LineOfGroup<Dto> | { line: number; refused: RefusedLine };

/**
 * Parses a line of an import; returns undefined for a blank one, and for the summary at the end of an export.
 * @param seen the ids of the lines before it; takes in that of this one
 * @param limit largest line in bytes
 */
export function readImportLine(line: Line, seen: SeenIds, limit: number): ReadLine | undefined {
  return readLineOf(UserGroupLine, idOfLine, line, seen, limit);
}

/**
 * Parses a line of any kind that names a group, as `readImportLine` does.
 * @param idOf returns the id of the group
 */
export function readLineOf<Dto extends { provided_id?: string }>(
  type: Type<Dto>,
  idOf: (dto: Dto) => string,
  { number: line, bytes }: Line,
  seen: SeenIds,
  limit: number,
): ReadLine<Dto> | undefined {
  if (!bytes) return { line, refused: toRefusedLine(line, new BodyTooLarge(limit, 'line')) };
  if (isBlank(bytes)) return undefined;
  let id: string | undefined;
  try {
    const json = parseStrictJson(bytes, 'line');
    if (isSummary(json.value)) return undefined;
    const dto = dtoFromJson(type, json, { part: 'line' });
    id = idOf(dto);
    seen.add(id, line, dto.provided_id === undefined ? '/user_group_id' : '/provided_id');
    return { line, id, dto };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const refused = toRefusedLine(line, error, id);
    refused.detail += hintOf(bytes, error);
    return { line, refused };
  }
}

/** Returns the fields that a line wants to store. */
export function wantedByLine(dto: UserGroupLine): Exclude<Wanted, 'removal'> {
  return { ...toWanted(dto), suspended: dto.suspended, token: dto.token };
}

/** Says of a refused line from which other form of a file it seems to be. */
function hintOf(bytes: Buffer, error: ServiceError): string {
  const text = bytes.toString('latin1').trim();
  if (/^[[\]]/.test(text)) return ARRAY_HINT;
  if (!(error instanceof JsonMalformed)) return '';
  if (/^\{.*\}\s*[,\]]+$/.test(text)) return ARRAY_HINT;
  if (/^[{}]$|^"[^"]*"\s*:|^\{[^}]*,$/.test(text)) return PARTS_HINT;
  return /[,;\t]/.test(text) && !/[{}]/.test(text) ? COLUMNS_HINT : '';
}

/** Looks at the beginning first: a line can be long. */
function isBlank(bytes: Buffer): boolean {
  return (
    bytes[0] !== BRACE &&
    BLANK.test(bytes.toString('latin1', 0, 64)) &&
    BLANK.test(bytes.toString('latin1'))
  );
}

function isSummary(value: JsonValue): boolean {
  if (value === null || typeof value !== 'object' || !Object.hasOwn(value, 'summary')) return false;
  return Object.keys(value).length === 1;
}
