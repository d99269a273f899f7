import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import conformance from '../../clients/conformance/package.json' with { type: 'json' };
import packageJson from '../../package.json' with { type: 'json' };
import { packageManifest } from '../../scripts/package/manifest.mjs';
import {
  NAMING_REPOSITORY,
  PLACEHOLDER,
  problemsOf,
  versionsOf,
} from '../../scripts/release/readiness.mjs';
import { writeReleased } from '../../scripts/surface/released.mjs';

const root = join(import.meta.dirname, '..', '..');
const { version, repository } = packageJson;
const address = repository.url.replace(/^git\+/, '').replace(/\.git$/, '');
const REAL = 'https://git.example.com/acme/user-groups';

test('service, clients, conformance kit, document, image, manifests and changelog have one version', () => {
  const versions = versionsOf(root);
  expect(Object.keys(versions).length).toBeGreaterThan(10);
  expect(new Set(Object.values(versions))).toEqual(new Set([version]));
});

test('the newest section of the changelog has at most 80 lines', () => {
  const [, newest] = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split(/^(?=## \d)/m);
  expect(newest).toMatch(new RegExp(`^## ${version} - `));
  expect(newest!.trim().split('\n').length).toBeLessThanOrEqual(80);
});

test('each registry is told the same address of the repository', () => {
  const others = NAMING_REPOSITORY.filter(
    (path) => !readFileSync(join(root, path), 'utf8').includes(address),
  );
  expect(others).toEqual([]);
});

test.each([
  ['Dockerfile', packageJson.name, packageJson.description],
  ['clients/conformance/Dockerfile', `${packageJson.name}-conformance`, conformance.description],
])(
  'the image of %s has the labels of the Open Container Initiative',
  (path, title, description) => {
    const dockerfile = readFileSync(join(root, path), 'utf8');
    const [block] = /^LABEL (?:.*\\\n)*.*$/m.exec(dockerfile)!;
    const labels = Object.fromEntries(
      [...block.matchAll(/org\.opencontainers\.image\.([\w.]+)="([^"]+)"/g)].map(
        ([, name, value]) => [name, value],
      ),
    );
    expect(labels).toEqual({
      title,
      description,
      version,
      revision: '$REVISION',
      created: '$CREATED',
      licenses: packageJson.license,
      source: address,
      documentation: packageJson.homepage,
      'base.name': `docker.io/library/${/^FROM (\S+)$/m.exec(dockerfile)![1]}`,
    });
  },
);

describe('a release', () => {
  let copy: string;
  const write = (path: string, change: (text: string) => string) => {
    const text = readFileSync(join(copy, path), 'utf8');
    const changed = change(text);
    writeFileSync(join(copy, path), changed);
    return changed !== text;
  };
  const edit = (path: string, change: (text: string) => string) => {
    expect(write(path, change)).toBe(true);
  };

  /** A copy of what is published, as its publisher has filled it in. */
  beforeEach(() => {
    copy = mkdtempSync(join(tmpdir(), 'user-groups-release-'));
    for (const path of ['api', ...NAMING_REPOSITORY, ...Object.keys(versionsOf(root))]) {
      cpSync(join(root, path), join(copy, path), { recursive: true });
    }
    for (const path of NAMING_REPOSITORY) write(path, (text) => text.replaceAll(address, REAL));
    write('clients/python/pyproject.toml', (text) => text.replace(/^ *"Private :: .*\n/m, ''));
    writeReleased(copy, join(copy, 'api', 'released'));
    write('CHANGELOG.md', (text) =>
      text
        .replace(/^## Unreleased$[^]*?(?=^## )/m, '')
        .replace(/^## (\d\S+) - .*$/m, '## $1 - 2027-02-28'),
    );
  });

  afterEach(() => {
    rmSync(copy, { recursive: true });
  });

  test('that is filled in may be published', () => {
    expect(problemsOf(copy)).toEqual([]);
  });

  test.each(NAMING_REPOSITORY)('whose %s has the placeholder is refused', (path) => {
    edit(path, (text) => text.replaceAll(REAL, PLACEHOLDER));
    expect(problemsOf(copy)).toEqual([
      `${path}: put the address of the repository in the place of ${PLACEHOLDER}`,
    ]);
  });

  test('with the classifier that PyPI refuses is refused', () => {
    edit('clients/python/pyproject.toml', (text) =>
      text.replace('classifiers = [', 'classifiers = [\n  "Private :: Do Not Upload",'),
    );
    expect(problemsOf(copy)).toEqual([
      'clients/python/pyproject.toml: remove the classifier that begins with "Private :: "',
    ]);
  });

  test.each(
    Object.keys(versionsOf(root)).filter(
      (path) => path !== 'package.json' && !path.endsWith('openapi.json'),
    ),
  )('whose %s has another version is refused', (path) => {
    edit(path, (text) => text.replace(version, '9.9.9'));
    expect(problemsOf(copy)).toContain(
      `${path}: has the version 9.9.9, and package.json ${version}`,
    );
  });

  test.each([
    [
      'a section without a date',
      (text: string) => text.replace(/^## (\d\S+) - .*$/m, '## $1 - Unreleased'),
    ],
    [
      'entries that are not released',
      (text: string) => text.replace(/^## /m, '## Unreleased\n\n- One.\n\n## '),
    ],
  ])('whose changelog begins with %s is refused', (_name, change) => {
    edit('CHANGELOG.md', change);
    expect(problemsOf(copy)).toEqual([
      'CHANGELOG.md: begin with the section of the version, such as "## 1.2.3 - 2027-01-31"',
    ]);
  });

  test.each([
    [
      'openapi.json',
      (text: string) =>
        text.replace('"operationId": "introspectToken"', '"operationId": "introspect"'),
    ],
    ['api/client.api.md', (text: string) => text.replace('export', 'declare')],
    ['api/released/client.api.md', (text: string) => text.replace('export', 'declare')],
  ])('whose %s is not what later versions are compared with is refused', (path, change) => {
    edit(path, change);
    expect(problemsOf(copy)).toEqual(['api/released: run "npm run api:release"']);
  });
});

test('a package that has the placeholder is one that npm refuses to publish', () => {
  const manifest = (url: string) =>
    packageManifest({ ...packageJson, repository: { ...repository, url } }, []) as Record<
      string,
      unknown
    >;
  expect(manifest(`git+${PLACEHOLDER}.git`)).toMatchObject({ private: true });
  expect(manifest(`git+${REAL}.git`)).not.toHaveProperty('private');
});
