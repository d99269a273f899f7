import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import {
  claimsFile,
  pages,
  readClaims,
  readSecurity,
  securityPages,
  type Claim,
} from '../support/api/pages.ts';
import { requirementsOf } from './render-asvs.ts';
import {
  generateToken,
  isWellFormedToken,
  type TokenPrefix,
} from '../../src/platform/common/secret/secrets.ts';

const root = join(import.meta.dirname, '..', '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const page = readSecurity();
const claims = readClaims();

/**
 * The number of requirements of levels 1 and 2 in each section of ASVS 5.0.0. They come first in every section:
 * those of level 3 have the highest numbers.
 */
const REQUIREMENTS: Record<string, readonly number[]> = {
  V1: [2, 9, 11, 3, 2],
  V2: [3, 3, 4, 1],
  V3: [0, 2, 4, 6, 5, 0, 2],
  V4: [3, 1, 2, 4],
  V5: [1, 3, 2, 3],
  V6: [3, 12, 4, 4, 5, 3, 0, 4],
  V7: [3, 4, 2, 5, 2, 2],
  V8: [2, 3, 1, 1],
  V9: [3, 4],
  V10: [2, 2, 4, 11, 5, 2, 3],
  V11: [2, 3, 3, 4, 1, 1, 0],
  V12: [3, 2, 4],
  V13: [1, 5, 2, 5],
  V14: [2, 4, 3],
  V15: [3, 3, 7, 0],
  V16: [1, 5, 4, 3, 3],
  V17: [1, 4, 2],
};

const requirements = Object.entries(REQUIREMENTS).flatMap(([chapter, sections]) =>
  sections.flatMap((count, section) => idsFrom(`${chapter}.${section + 1}`, 1, count)),
);

describe('the requirements of the ASVS', () => {
  const asvs = claims.filter(({ standard }) => standard === 'ASVS 5.0.0');

  test('each of levels 1 and 2 stands in exactly one line, and no other', () => {
    const listed = asvs.flatMap(({ id }) => requirementsOf(id));
    expect(requirements).toHaveLength(253);
    expect(listed.filter((id, index) => listed.indexOf(id) < index)).toEqual([]);
    expect([...listed].sort()).toEqual([...requirements].sort());
  });

  test('the lines of each state are in the order of the standard', () => {
    for (const state of ['met', 'not met, or left to the operator', 'not applicable']) {
      const places = asvs
        .filter((claim) => claim.state === state)
        .map(({ id }) => requirements.indexOf(requirementsOf(id)[0]!));
      expect(places.length).toBeGreaterThan(10);
      expect(places).toEqual([...places].sort((a, b) => a - b));
    }
  });

  test('what is not met says what is missing, and what can be done', () => {
    for (const { id, state, how, remedy } of asvs) {
      if (state.startsWith('not met')) expect([id, how, remedy]).not.toContain('');
    }
  });
});

describe('what is said to be met', () => {
  const top10 = claims.filter(({ standard }) => standard.startsWith('API Security Top 10'));
  const threats = claims.filter(({ standard }) => standard === 'Threat model');
  const shown = [...claims.filter(({ state }) => state === 'met'), ...threats];

  test('names a test that shows it, or says why none can', () => {
    const bare = shown.filter(({ shownBy }) => !/ › `|^No test can show this: \S/.test(shownBy));
    expect(idsIn(bare)).toEqual([]);
    expect(page).not.toMatch(/by review/i);
  });

  test('few claims are beyond tests', () => {
    expect(idsIn(shown.filter(({ shownBy }) => !shownBy.includes(' › ')))).toEqual([
      'V15.1.1',
      'V15.2.1',
    ]);
  });

  test('the ten risks of APIs are all there', () => {
    expect(idsIn(top10)).toEqual(Array.from({ length: 10 }, (_, index) => `API${index + 1}`));
  });

  test('each threat of the page is there, with the same words', () => {
    const told = rows('## Threats');
    expect(told.length).toBeGreaterThan(15);
    for (const [threat, remains] of told) {
      const { how } = threats.find(({ id }) => id === threat)!;
      expect(how).toMatch(/^\S.+ What remains: /);
      expect(how.split(' What remains: ')[1]).toBe(withoutLinks(remains!));
    }
  });
});

function withoutLinks(text: string): string {
  return text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
}

function idsIn(some: Claim[]): string[] {
  return some.map(({ id }) => id);
}

describe('what the page refers to', () => {
  const evidence = `${page}\n${read(claimsFile)}`;
  const references = [...evidence.matchAll(/`(test\/[\w./-]+\.ts)` › `([^`]+)`/g)].map(
    ([, file, name]) => ({
      file: file!,
      name: name!,
    }),
  );

  test('every file of tests is named with a test', () => {
    expect(references.length).toBeGreaterThan(100);
    expect(evidence.match(/`test\/[^`]*`/g)).toHaveLength(references.length);
  });

  test('every test is there, by its name', () => {
    const missing = references.filter((reference) => !isThere(reference));
    expect(new Set(missing.map(({ file, name }) => `${file} › ${name}`))).toEqual(new Set());
  });

  test.each([...securityPages, claimsFile, 'docs/reference/audit-log.md', 'SECURITY.md'])(
    'every file and heading that %s names is there',
    (document) => {
      const text = read(document);
      const files = [...text.matchAll(/`((?:src|docs|\.ci)\/[\w./-]+|[A-Z]+\.md)`/g)];
      expect(
        files.map(([, file]) => file!).filter((file) => !existsSync(join(root, file))),
      ).toEqual([]);
      const links = [...text.matchAll(/\]\((?!https:)([^)#]*)(?:#([^)]+))?\)/g)];
      const broken = links.filter(([, path, anchor]) => {
        const target = path ? join(dirname(document), path) : document;
        if (!existsSync(join(root, target))) return true;
        return anchor !== undefined && !anchorsOf(read(target)).includes(anchor);
      });
      expect(broken.map(([link]) => link)).toEqual([]);
    },
  );
});

describe('what scanners need', () => {
  const [, regex = ''] = /^Any token: `([^`]+)`/m.exec(page) ?? [];
  const toml = [...page.matchAll(/^regex = '''(.+)'''$/gm)].map(([, text]) => text!);
  const [, format = ''] = /^\| Secret format +\| `([^`]+)`/m.exec(page) ?? [];
  const example = new Map(rows('### The checksum').map(([name, value]) => [name, value]));
  const quoted = (name: string) => example.get(name)!.replaceAll('`', '');

  test.each<TokenPrefix>(['uga', 'ugt'])('every pattern finds a generated %s token', (prefix) => {
    const others = toml.filter((text) => !text.includes(prefix));
    expect([toml.length, others.length]).toEqual([2, 1]);
    for (let round = 0; round < 50; round++) {
      const token = generateToken(prefix);
      const finders = [regex, format, ...toml.filter((text) => text.includes(prefix))];
      for (const text of [token, `"${token}"`, `x=${token}\n`, `Token ${token},`]) {
        for (const finder of finders) expect(new RegExp(finder).exec(text)?.[0]).toBe(token);
        for (const other of others) expect(new RegExp(other).test(text)).toBe(false);
      }
    }
  });

  test('no pattern finds what is longer or shorter', () => {
    const token = generateToken('uga');
    for (const finder of [regex, ...toml]) {
      expect(new RegExp(finder).test(`${token}0`)).toBe(false);
      expect(new RegExp(finder).test(token.slice(0, -1))).toBe(false);
    }
  });

  test('the example checks out', () => {
    const random = quoted('Random part');
    expect(isWellFormedToken('uga', quoted('API token'))).toBe(true);
    expect(isWellFormedToken('ugt', quoted('User-group token with the same random part'))).toBe(
      true,
    );
    expect(quoted('API token')).toBe(`uga_${random}${quoted('Checksum')}`);
    const sum = crc32(random);
    expect(quoted('CRC-32')).toBe(`${sum} (0x${sum.toString(16).toUpperCase()})`);
    const digits = quoted('Digits to the base 62').split(', ').map(Number);
    expect(digits.reduce((number, digit) => number * 62 + digit, 0)).toBe(sum);
    const [, alphabet = ''] = /^DIGITS = "(\w+)"$/m.exec(page) ?? [];
    expect(digits.map((digit) => alphabet.charAt(digit)).join('')).toBe(quoted('Checksum'));
    expect(alphabet).toHaveLength(62);
  });

  test('no other token in a document is well-formed', () => {
    const documents = [
      'SECURITY.md',
      ...pages.filter((path) => path !== 'docs/reference/access.md'),
    ];
    const found = documents.flatMap((path) => read(path).match(new RegExp(regex, 'g')) ?? []);
    const real = found.filter((token) =>
      isWellFormedToken(token.slice(0, 3) as TokenPrefix, token),
    );
    expect(real).toEqual([]);
  });
});

/** Whether the file declares a test of this name that is not skipped; a template of `test.each` is its name as it stands there. */
function isThere({ file, name }: { file: string; name: string }): boolean {
  if (!existsSync(join(root, file))) return false;
  const text = read(file);
  if (!file.endsWith('.test.ts')) return text.includes(name);
  return ["'", '"', '`'].some((quote) => {
    const [before, ...after] = text.split(`${quote}${name}${quote},`);
    return after.length > 0 && /(?<!skip)\(\s*$/.test(before!);
  });
}

/** The text below a heading, up to the next one. */
function section(heading: string): string {
  const [, after] = page.split(`\n${heading}\n`);
  if (after === undefined) throw new Error(`no page about security has the heading "${heading}"`);
  return after.split(/\n#+ /)[0]!;
}

/** The rows of the tables directly below a heading, without their heads: the text of each cell. */
function rows(heading: string): string[][] {
  const lines = section(heading).split('\n');
  return lines
    .filter((line, index) => line.startsWith('| ') && !/^\|\s*-/.test(lines[index + 1] ?? ''))
    .map((line) =>
      line
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim()),
    )
    .filter(([first]) => !first!.startsWith('--'));
}

function idsFrom(within: string, first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => `${within}.${first + index}`);
}

/** The anchors of a document's headings, as they are made of them on the web. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
