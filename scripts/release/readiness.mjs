import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeReleased } from '../surface/released.mjs';

/** Stands for the address of the repository, in a domain that exists nowhere, until its publisher fills it in. */
export const PLACEHOLDER = 'https://repository.invalid/user-group-service';

/** The files that name the repository in a registry. */
export const NAMING_REPOSITORY = [
  'package.json',
  'clients/typescript/package.json',
  'clients/conformance/package.json',
  'clients/cube/package.json',
  'clients/embed/package.json',
  'clients/python/pyproject.toml',
  'Dockerfile',
  'clients/conformance/Dockerfile',
];

/** PyPI refuses a package with a classifier that begins so. */
const NOT_FOR_PYPI = 'Private :: ';

/** Each place that tells the version, and how. */
const VERSIONS = {
  'package.json': /^ {2}"version": "(.+)"/m,
  'package-lock.json': /^ {2}"version": "(.+)"/m,
  'openapi.json': /"info": \{[^{}]*"version": "([^"]+)"/,
  'api/released/openapi.json': /^"version":"(.+)"/m,
  'clients/typescript/package.json': /^ {2}"version": "(.+)"/m,
  'clients/typescript/version.ts': /VERSION = '(.+)'/,
  'clients/typescript/README.md': /user-group-service-client-(.+)\.tgz$/m,
  'clients/python/user_group_service/version.py': /__version__ = "(.+)"/,
  'clients/conformance/package.json': /^ {2}"version": "(.+)"/m,
  'clients/conformance/version.ts': /VERSION = '(.+)'/,
  'clients/cube/package.json': /^ {2}"version": "(.+)"/m,
  'clients/embed/package.json': /^ {2}"version": "(.+)"/m,
  'clients/embed/README.md': /user-group-service-embed-(.+)\.tgz$/m,
  'clients/conformance/README.md': /user-group-service-conformance-(\S+)\.tgz/,
  Dockerfile: /image\.version="(.+)"/,
  'clients/conformance/Dockerfile': /image\.version="(.+)"/,
  'deploy/kustomize/base/kustomization.yaml': /newTag: (.+)$/m,
  'deploy/kustomize/migrate/kustomization.yaml': /newTag: (.+)$/m,
  'CHANGELOG.md': /^## (\d\S*)/m,
};

/**
 * @param {string} root of the repository
 * @returns {Record<string, string | undefined>} the version that each place tells
 */
export function versionsOf(root) {
  return Object.fromEntries(
    Object.entries(VERSIONS).map(([path, version]) => [
      path,
      version.exec(readFileSync(join(root, path), 'utf8'))?.[1],
    ]),
  );
}

/**
 * @param {string} root of the repository
 * @returns {string[]} what has to be done before it may be published, in a line each
 */
export function problemsOf(root) {
  const read = (path) => readFileSync(join(root, path), 'utf8');
  const version = versionsOf(root)['package.json'];
  return [
    ...NAMING_REPOSITORY.filter((path) => read(path).includes(PLACEHOLDER)).map(
      (path) => `${path}: put the address of the repository in the place of ${PLACEHOLDER}`,
    ),
    ...(read('clients/python/pyproject.toml').includes(NOT_FOR_PYPI)
      ? [`clients/python/pyproject.toml: remove the classifier that begins with "${NOT_FOR_PYPI}"`]
      : []),
    ...Object.entries(versionsOf(root))
      .filter(([, other]) => other !== version)
      .map(([path, other]) => `${path}: has the version ${other}, and package.json ${version}`),
    ...(/^## \d\S* - \d{4}-\d\d-\d\d$/m.exec(read('CHANGELOG.md').split(/^(?=## )/m)[1] ?? '')
      ? []
      : ['CHANGELOG.md: begin with the section of the version, such as "## 1.2.3 - 2027-01-31"']),
    ...(isReleasedCurrent(root) ? [] : ['api/released: run "npm run api:release"']),
  ];
}

/** Whether `api/released` is what the next version will be compared with. */
function isReleasedCurrent(root) {
  const made = mkdtempSync(join(tmpdir(), 'user-groups-released-'));
  try {
    writeReleased(root, made);
    const files = (directory) =>
      readdirSync(directory)
        .sort()
        .map((name) => [name, readFileSync(join(directory, name), 'utf8')]);
    return JSON.stringify(files(made)) === JSON.stringify(files(join(root, 'api', 'released')));
  } finally {
    rmSync(made, { recursive: true });
  }
}
