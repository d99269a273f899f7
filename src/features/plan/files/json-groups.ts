import {
  isJsonObject,
  type JsonValue,
  parseStrictJson,
} from '../../../platform/common/json/strict-json.ts';
import { JsonDuplicateKey, JsonMalformed } from '../../../platform/common/problem/errors.ts';
import { ServiceError } from '../../../platform/common/problem/problem.ts';
import { FaultyFile, type Place, type PlacedGroup } from './placed-groups.ts';

/** Reads a group, or a list of groups. @throws FaultyFile */
export function readJson(text: string, file: string): PlacedGroup[] {
  const value = parsed(text, 'file', { file, line: 1 });
  if (isJsonObject(value)) return [{ place: { file, line: 1 }, text: onOneLine(text) }];
  if (!Array.isArray(value)) {
    throw new FaultyFile({ file, line: 1 }, 'The file must have a group, or a list of groups.');
  }
  let line = 1;
  let counted = 0;
  return elementsOf(text).map(([from, to], index) => {
    line += text.slice(counted, from).split('\n').length - 1;
    counted = from;
    const place = { file, line };
    if (!isJsonObject(value[index])) throw new FaultyFile(place, 'A group must be an object.');
    return { place, text: onOneLine(text.slice(from, to)) };
  });
}

/** Reads a group in each line. Leaves out the last line of an export. @throws FaultyFile */
export function readLines(text: string, file: string): PlacedGroup[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const place = { file, line: index + 1 };
    const value = parsed(line, 'line', place);
    if (!isJsonObject(value)) throw new FaultyFile(place, 'A group must be an object.');
    const isSummary = Object.hasOwn(value, 'summary') && Object.keys(value).length === 1;
    return isSummary ? [] : [{ place, text: line.trim() }];
  });
}

function parsed(text: string, part: 'file' | 'line', { file, line }: Place): JsonValue {
  try {
    return parseStrictJson(Buffer.from(text), part).value;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const isAt = error instanceof JsonMalformed || error instanceof JsonDuplicateKey;
    const before = text.slice(0, isAt ? error.position : 0).split('\n').length - 1;
    throw new FaultyFile({ file, line: line + before }, error.message);
  }
}

/** Returns where each element of a valid JSON array begins and ends: its own numbers must not be read and printed. */
function elementsOf(text: string): [from: number, to: number][] {
  const elements: [number, number][] = [];
  let depth = 0;
  let from: number | undefined;
  let last = 0;
  for (const { 0: token, index } of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[^\s]/gs)) {
    if (depth === 1 && (token === ',' || token === ']')) {
      if (from !== undefined) elements.push([from, last]);
      from = undefined;
    } else if (depth >= 1) from ??= index;
    if (token === '[' || token === '{') depth++;
    if (token === ']' || token === '}') depth--;
    last = index + token.length;
  }
  return elements;
}

/** Strings of JSON have no line ends of their own. */
function onOneLine(text: string): string {
  return text.replaceAll(/[\r\n]+/g, ' ').trim();
}
