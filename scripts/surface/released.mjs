import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPORT } from './report-names.mjs';
import { DESCRIPTIVE } from './shapes.mjs';

/** Keywords of operations that describe, as others of schemas do. */
const WORDS = new Set([...DESCRIPTIVE, 'summary', 'tags']);
/** Keywords whose keys are names that the document gives. */
const NAMING = new Set([
  'paths',
  'webhooks',
  'schemas',
  'securitySchemes',
  'parameters',
  'responses',
  'requestBodies',
  'headers',
  'content',
  'properties',
  'patternProperties',
  'x-required-scope-with',
]);
/** Keywords whose values are data. */
const DATA = new Set(['enum', 'const', 'default', 'required']);

/**
 * Writes what later changes are compared with: the document without its words, and the API reports.
 * @param {string} root of the repository
 * @param {string} directory that is written, and emptied before
 */
export function writeReleased(root, directory) {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const document = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8'));
  writeFileSync(join(directory, 'openapi.json'), `${inLines(withoutWords(document))}\n`);
  for (const name of readdirSync(join(root, 'api')).filter((one) => one.endsWith(REPORT))) {
    copyFileSync(join(root, 'api', name), join(directory, name));
  }
}

/**
 * @param {any} document of OpenAPI
 * @returns {any} what `compareOpenApi` reads of it, and its version
 */
export function withoutWords({ info, security, paths, webhooks, components }) {
  const { version } = info ?? {};
  return { info: { version }, ...bare({ security, paths, webhooks, components }) };
}

function bare(value, isNaming = false) {
  if (Array.isArray(value)) return value.map((one) => bare(one));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => isNaming || !WORDS.has(key))
      .map(([key, one]) => {
        if (isNaming) return [key, bare(one)];
        return [key, DATA.has(key) ? one : bare(one, NAMING.has(key))];
      }),
  );
}

/** JSON with a line for each operation and schema, in which the difference of two releases can be read. */
function inLines(value, depth = 3) {
  if (depth === 0 || value === null || typeof value !== 'object' || Array.isArray(value)) {
    return JSON.stringify(value);
  }
  const members = Object.entries(value)
    .filter(([, one]) => one !== undefined)
    .map(([key, one]) => `${JSON.stringify(key)}:${inLines(one, depth - 1)}`);
  return `{\n${members.join(',\n')}\n}`;
}
