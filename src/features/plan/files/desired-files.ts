import { isUtf8 } from 'node:buffer';
import { readdir, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { OperatorError } from '../../../platform/common/problem/operator-error.ts';
import { readInput, STANDARD_INPUT, usable } from '../../../platform/command-line/read-input.ts';
import { parseStrictJson } from '../../../platform/common/json/strict-json.ts';
import { ServiceError } from '../../../platform/common/problem/problem.ts';
import { readJson, readLines } from './json-groups.ts';
import { FaultyFile, type Place, type PlacedGroup, placeText } from './placed-groups.ts';
import { readYaml } from './yaml-groups.ts';

/** The most MiB of a file: a plan takes 32 MiB of JSON. */
const MAX_FILE_MIB = 64;
/** A link to a directory above would otherwise never end. */
const MAX_DEPTH = 16;

const READERS: Partial<Record<string, (text: string, file: string) => PlacedGroup[]>> = {
  '.yaml': readYaml,
  '.yml': readYaml,
  '.json': readJson,
  '.ndjson': readLines,
  '.jsonl': readLines,
};

/**
 * Reads the groups of a file, of standard input (`-`), or of every file of a directory whose name ends in .yaml, .yml, .json,
 * .ndjson or .jsonl, in the order of their names. Names that begin with a dot are left out.
 * @throws OperatorError for a file that cannot be read or is too large, and for an id that two groups have
 */
export async function readDesired(path: string): Promise<PlacedGroup[]> {
  const groups: PlacedGroup[] = [];
  for (const file of path === STANDARD_INPUT ? [path] : await filesOf(path)) {
    const name = file === STANDARD_INPUT ? 'standard input' : file;
    const text = textOf(name, await readInput(file, MAX_FILE_MIB));
    const read = READERS[extname(file).toLowerCase()] ?? readAny;
    for (const group of read(text, name)) groups.push(group);
  }
  requireDifferentIds(groups);
  return groups;
}

async function filesOf(path: string): Promise<string[]> {
  if (!(await usable(path, () => stat(path))).isDirectory()) return [path];
  const files = await filesBelow(path, 0);
  if (files.length === 0) {
    throw new OperatorError(
      `The directory ${path} has no file whose name ends in ${Object.keys(READERS).join(', ')}.`,
    );
  }
  return files;
}

async function filesBelow(directory: string, depth: number): Promise<string[]> {
  if (depth > MAX_DEPTH) {
    throw new OperatorError(`The directory ${directory} is nested too deeply.`);
  }
  const names = (await usable(directory, () => readdir(directory))).sort();
  const files: string[] = [];
  for (const name of names) {
    if (name.startsWith('.')) continue;
    const path = join(directory, name);
    const isDirectory = (await usable(path, () => stat(path))).isDirectory();
    if (isDirectory) files.push(...(await filesBelow(path, depth + 1)));
    else if (READERS[extname(name).toLowerCase()]) files.push(path);
  }
  return files;
}

/** Reads a text of an unknown form by its first character. */
function readAny(text: string, file: string): PlacedGroup[] {
  const [first] = text.trimStart();
  if (first === '[') return readJson(text, file);
  if (first !== '{') return readYaml(text, file);
  const [line = ''] = text.trimStart().split('\n');
  return isJson(line) ? readLines(text, file) : readJson(text, file);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function textOf(file: string, bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new FaultyFile({ file, line: 1 }, 'The file is not UTF-8.');
  return bytes.toString('utf8').replace(/^\ufeff/, '');
}

/** @throws FaultyFile that names both places; also for a group that names a key twice */
function requireDifferentIds(groups: readonly PlacedGroup[]): void {
  const places = new Map<unknown, Place>();
  for (const { place, text } of groups) {
    const id = idOf(text, place);
    const earlier = places.get(id);
    if (earlier && typeof id === 'string') {
      throw new FaultyFile(
        place,
        `The group ${JSON.stringify(id)} is also at ${placeText(earlier)}.`,
      );
    }
    places.set(id, place);
  }
}

function idOf(text: string, place: Place): unknown {
  try {
    const { value } = parseStrictJson(Buffer.from(text), 'line');
    return (value as { provided_id?: unknown }).provided_id;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new FaultyFile(place, error.message);
  }
}
