import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { breakingNames } from './changelog.mjs';
import { compareOpenApi } from './compare-openapi.mjs';
import { compareReports } from './compare-reports.mjs';
import { importOf, REPORT } from './report-names.mjs';

/**
 * Compares what is committed with what the last release had, in `api/released`.
 * @param {string} root of the repository
 * @returns {string[]} a line for each incompatible change that the changelog does not name; its names are
 *   what it takes
 */
export function unnamedFindings(root) {
  const read = (...path) => readFileSync(join(root, ...path), 'utf8');
  const document = (...path) => JSON.parse(read(...path));
  const reports = readdirSync(join(root, 'api', 'released')).filter((name) =>
    name.endsWith(REPORT),
  );
  const findings = [
    ...compareOpenApi(document('api', 'released', 'openapi.json'), document('openapi.json')),
    ...reports.flatMap((name) =>
      compareReports(
        importOf(name),
        read('api', 'released', name),
        existsSync(join(root, 'api', name)) ? read('api', name) : undefined,
      ),
    ),
  ];
  return report(findings, read('CHANGELOG.md'));
}

/**
 * @param {import('./compare-openapi.mjs').Finding[]} findings
 * @param {string} changelog
 * @returns {string[]} a line for each finding that no BREAKING entry names; one for all the places where the
 *   same change shows
 */
export function report(findings, changelog) {
  const named = breakingNames(changelog);
  const byCause = new Map();
  for (const finding of findings) {
    if (finding.names.some((name) => named.has(name))) continue;
    const key = finding.cause ?? `${finding.place}: ${finding.text}`;
    byCause.set(key, [...(byCause.get(key) ?? []), finding]);
  }
  return [...byCause.values()].map(([{ place, names, text, cause }, ...others]) => {
    const more = others.length === 0 ? '' : `, and ${others.length} more`;
    const schema = cause === undefined ? '' : ` (schema ${names.at(-1)}${more})`;
    return `${place}: ${text}${schema}`;
  });
}
