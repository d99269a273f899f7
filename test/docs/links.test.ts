import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

const IN_ROOT = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'llms.txt'];
const FOLDERS = ['docs', 'clients', 'examples', 'deploy'];
const pages = [...IN_ROOT, ...FOLDERS.flatMap(pagesIn)];

test('every link of a page leads to a file, and to a heading that is there', () => {
  const broken = pages.flatMap((page) =>
    linksOf(page).flatMap(({ link, path, anchor }) => {
      const target = path === '' ? page : normalize(join(dirname(page), path));
      if (!existsSync(join(root, target))) return [`${page}: ${link} (no such file)`];
      if (anchor === undefined || !target.endsWith('.md')) return [];
      return anchorsOf(target).has(anchor) ? [] : [`${page}: ${link} (no such heading)`];
    }),
  );
  expect(pages.length).toBeGreaterThan(60);
  expect(broken).toEqual([]);
});

test('the anchors of a page differ', () => {
  const repeated = pages.filter((page) => page !== 'CHANGELOG.md' && hasRepeatedHeading(page));
  expect(repeated).toEqual([]);
});

test.each([
  ['docs/README.md', (page: string) => page.startsWith('docs/') && !page.startsWith('docs/adr/')],
  ['docs/adr/README.md', (page: string) => page.startsWith('docs/adr/')],
])('%s names every page', (index, isListed) => {
  const named = linksOf(index).map(({ path }) => normalize(join(dirname(index), path)));
  expect(pages.filter((page) => isListed(page) && page !== index && !named.includes(page))).toEqual(
    [],
  );
});

test('the README is short', () => {
  expect(read('README.md').split('\n').length - 1).toBeLessThanOrEqual(200);
});

/** The Markdown below a folder, from the root. */
function pagesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name}`)
    .filter(
      (name) =>
        name.endsWith('.md') &&
        !name.includes('node_modules') &&
        statSync(join(root, name)).isFile(),
    );
}

/** The links of a page within the repository; those in code are not links. */
function linksOf(page: string): { link: string; path: string; anchor: string | undefined }[] {
  const matches = proseOf(page).matchAll(/\]\((?!https?:|mailto:|<)([^)\s#]*)(?:#([^)\s]+))?\)/g);
  return [...matches].map(([link, path, anchor]) => ({ link, path: path!, anchor }));
}

const anchors = new Map<string, Set<string>>();

function anchorsOf(page: string): Set<string> {
  const known = anchors.get(page) ?? new Set(headingsOf(page).map(toAnchor));
  anchors.set(page, known);
  return known;
}

function hasRepeatedHeading(page: string): boolean {
  const all = headingsOf(page).map(toAnchor);
  return new Set(all).size < all.length;
}

function headingsOf(page: string): string[] {
  return [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!);
}

/** The anchor that web pages of repositories give a heading. */
function toAnchor(heading: string): string {
  return heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

/** A page without its blocks of code. */
function proseOf(page: string): string {
  return read(page).replace(/^( *)(```+)[^\n]*\n[\s\S]*?\n\1\2$/gm, '');
}

function read(name: string): string {
  return readFileSync(join(root, name), 'utf8');
}
