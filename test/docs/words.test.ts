import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
/** Texts that people read. */
const READ = ['README.md', 'CHANGELOG.md', 'docs', 'openapi.json', 'src', 'console/src', 'clients'];
/** Records of decisions, which stay as they were written. */
const RECORDS = 'docs/adr/';
/** Words that no reader of plain English expects. */
const STRANGE = /\b(anew|whoever|for ever)\b/i;
/** A service returns, responds with or rejects; something is next to, with or while something else. */
const FOREIGN = /\b(answer(s|ed|ing)?|beside)\b/i;
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
