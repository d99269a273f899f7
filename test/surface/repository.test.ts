import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unnamedFindings } from '../../scripts/surface/findings.mjs';
import { RELEASED } from './released-document.ts';

/** What is committed: other tests hold that it is what the code does. */
test('nothing that was released changes without a BREAKING line in the changelog', () => {
  expect(unnamedFindings(join(import.meta.dirname, '..', '..'))).toEqual([]);
});

describe('a repository', () => {
  let root: string;
  const write = (name: string, content: string) => {
    writeFileSync(join(root, name), content);
  };

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'user-groups-surface-'));
    mkdirSync(join(root, 'api'));
    write('openapi.json', JSON.stringify({ ...RELEASED, paths: {} }));
    write('CHANGELOG.md', '# Changelog\n\n## Unreleased\n');
  });

  afterEach(() => {
    rmSync(root, { recursive: true });
  });

  test('without a release has nothing to compare with', () => {
    expect(unnamedFindings(root)).toEqual([]);
  });

  test('with a release is compared with it, its reports too', () => {
    mkdirSync(join(root, 'api', 'released'));
    write('api/released/openapi.json', JSON.stringify(RELEASED));
    write('api/released/client.api.md', '```ts\nexport const gone: string;\n```\n');
    expect(unnamedFindings(root)).toEqual([
      '/groups: removed',
      '/health: removed',
      'user-group-service/client: removed',
    ]);
  });
});
