import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const directory = join(import.meta.dirname, '..', '..', 'dist', 'console');
const folder = join(import.meta.dirname, '..', '..', 'console', 'src');
const assets = join(directory, 'assets');
const page = readFileSync(join(directory, 'index.html'), 'utf8');
const scripts = new Map(
  readdirSync(assets)
    .filter((name) => name.endsWith('.js'))
    .map((name) => [name, readFileSync(join(assets, name), 'utf8')]),
);

/** The kilobytes that the scripts take on the network. */
function weightOf(names: Iterable<string>): number {
  const bytes = [...names].map((name) => gzipSync(scripts.get(name)!, { level: 9 }).length);
  return bytes.reduce((sum, one) => sum + one, 0) / 1000;
}

/** A script with those that it cannot begin without. */
function neededBy(name: string, needed = new Set<string>()): Set<string> {
  if (needed.has(name)) return needed;
  needed.add(name);
  for (const [, other] of scripts.get(name)!.matchAll(/(?:from|import)\s*["'`]\.\/([^"'`]+)/g)) {
    neededBy(other!, needed);
  }
  return needed;
}

const [, entry] = /<script type="module"[^>]* src="\.\/assets\/([^"]+)"/.exec(page)!;

test('the scripts of the console weigh 80 kB at most, those of its first page 22 kB', () => {
  expect(scripts.size).toBeGreaterThan(1);
  expect(weightOf(scripts.keys())).toBeLessThanOrEqual(80);
  expect(weightOf(neededBy(entry!))).toBeLessThanOrEqual(22);
});

test('the page holds nothing that its policy would refuse', () => {
  expect(page).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son\w+=|data:/);
  for (const [link] of page.matchAll(/<link[^>]*>/g)) {
    expect(link).toMatch(/ href="\.\/(assets\/|sign-in")/);
  }
  const text = [...scripts.values()].join('\n');
  expect(text).not.toMatch(/\beval\(|new Function\b|insertAdjacentHTML|document\.write/);
  // The one of Preact, for a property that no component here has.
  expect(text.match(/innerHTML/g)?.length ?? 0).toBeLessThanOrEqual(4);
  expect(sources()).not.toMatch(/innerHTML|InnerHTML|outerHTML =/);
});

test('the page has each picture that a script can name, and no other', () => {
  const icons = readFileSync(join(folder, 'ui', 'icons.tsx'), 'utf8');
  const [, union] = /type IconName =([^;]*);/.exec(icons)!;
  const named = [...union!.matchAll(/'(\w+)'/g)].map(([, name]) => name);
  const drawn = [...page.matchAll(/<symbol id="icon-(\w+)"/g)].map(([, name]) => name);
  expect(drawn.length).toBeGreaterThan(20);
  expect(drawn).toEqual(named);
});

test('nothing but the colours and the zone is kept by the browser', () => {
  expect(sources().match(/localStorage\.\w+\([^)]*\)/g)).toEqual([
    'localStorage.getItem(keptAs)',
    'localStorage.setItem(keptAs, own.value)',
  ]);
  expect(sources()).not.toMatch(/sessionStorage|document\.cookie|indexedDB/);
});

function sources(): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n');
}
