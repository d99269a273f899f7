import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
/** Texts that people read. */
const READ = ['README.md', 'CHANGELOG.md', 'docs', 'openapi.json', 'src', 'console/src', 'clients'];
/** Records of decisions, which stay as they were written. */
const RECORDS = 'docs/adr/';
/** Words that no reader of plain English expects. */
const STRANGE = /\b(anew|whoever|for ever|all the same|there where|(is|are) a must)\b/i;
/** A service returns, responds with or rejects; something is next to, with or while something else. */
const FOREIGN = /\b(answer(s|ed|ing)?|beside)\b/i;
/** A clause in place of a subject: “What the token may do” is “The rights of the token”. */
const CLAUSE =
  /^(?:What|Whatever|Who|Whom|Whose|Where|How|Why|Which|Until when|Since when|For (?:how|whom))\b/i;
const BLOCK = /^( *)```[\s\S]*?\n\1```$/gm;
const SENTENCES = {
  comment: /^\s*(?:\/\*\*|\*|#) .*|\/\/ .*/g,
  text: /'[^'\n]* [^'\n]*'|"[^"\n]* [^"\n]*"|`[^`\n]* [^`\n]*`/g,
};

const files = execFileSync('git', ['ls-files', ...READ], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => /(\.(md|tsx?|py)|^openapi\.json)$/.test(file) && !file.startsWith(RECORDS));

test('the words of people are plain', () => {
  expect(files.length).toBeGreaterThan(500);
  expect(linesWith(STRANGE, (line) => line)).toEqual([]);
});

test('nothing is answered, and nothing is beside', () => {
  expect(linesWith(FOREIGN, sentencesOf)).toEqual([]);
});

test('no sentence of the OpenAPI document begins with a clause', () => {
  const sentences = descriptionsOf(JSON.parse(textOf('openapi.json'))).flatMap((text) =>
    text.split(/\n+|(?<=[.!?]\)?) (?=[A-Z])/),
  );
  expect(sentences.length).toBeGreaterThan(1000);
  expect(sentences.filter((sentence) => CLAUSE.test(sentence))).toEqual([]);
});

test('no option of the command line begins with a clause', () => {
  const meanings = Array.from(
    textOf('docs/reference/cli.md').matchAll(/^\| `[^`]+` \| (.+) \|$/gm),
    ([, meaning]) => meaning!,
  );
  expect(meanings.length).toBeGreaterThan(150);
  expect(meanings.filter((meaning) => CLAUSE.test(meaning))).toEqual([]);
});

/** Every description and summary below a value. Examples have none of the document. */
function descriptionsOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    if (key === 'example') return [];
    const isText = (key === 'description' || key === 'summary') && typeof member === 'string';
    return isText ? [member] : descriptionsOf(member);
  });
}

function linesWith(words: RegExp, read: (line: string, file: string) => string): string[] {
  return files.flatMap((file) =>
    textOf(file)
      .split('\n')
      .flatMap((line, index) =>
        words.test(read(line, file)) ? [`${file}:${index + 1} ${line.trim()}`] : [],
      ),
  );
}

/** A file, in which the blocks of code of a page are empty lines. */
function textOf(file: string): string {
  const text = readFileSync(join(root, file), 'utf8');
  return file.endsWith('.md') ? text.replace(BLOCK, (block) => block.replace(/.+/g, '')) : text;
}

/** The prose of a line, without names of code. */
function sentencesOf(line: string, file: string): string {
  if (file.endsWith('.md')) return line.replace(/`[^`]*`/g, '');
  if (file.endsWith('.json')) return line;
  return Object.values(SENTENCES)
    .flatMap((sentence) => line.match(sentence) ?? [])
    .join('\n')
    .replace(/\$\{[^}]*\}/g, '');
}
