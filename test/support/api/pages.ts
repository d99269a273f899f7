import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..');

/** The README and the pages below docs, from the root. */
export const pages = [
  'README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`)
    .sort(),
];

/** An example of a page that a test runs. */
export interface Example {
  language: string;
  code: string;
  /** The output of the example; undefined if the example only has to succeed. */
  shown?: { language: string; text: string };
}

/** A block of code marked as an example, and the block directly behind it, which has what it prints. */
const EXAMPLE =
  /^( *)<!-- example -->\n\1```(\w+)\n([\s\S]*?)\n\1```\n(?:\n\1```(json|text)\n([\s\S]*?)\n\1```\n)?/gm;

export function examplesOf(page: string): Example[] {
  return [...read(page).matchAll(EXAMPLE)].map(([, indent, language, code, shownIn, text]) => ({
    language: language!,
    code: code!.replaceAll(`\n${indent}`, '\n').trimStart(),
    ...(shownIn !== undefined && { shown: { language: shownIn, text: text! } }),
  }));
}

/** A block of code that has a mark of its own. @throws Error if the page has no such block */
export function marked(page: string, mark: string): string {
  const [, code] =
    new RegExp(`<!-- ${mark} -->\\n *\`\`\`\\w+\\n([\\s\\S]*?)\\n *\`\`\``).exec(read(page)) ?? [];
  if (code === undefined) throw new Error(`${page} has no block marked "${mark}"`);
  return code;
}

/** A step that a page names. @throws Error if the page has no such step */
export function step(page: string, name: string): string {
  return marked(page, `step: ${name}`);
}

export function read(page: string): string {
  return readFileSync(join(root, page), 'utf8');
}

/** The pages about security. */
export const securityPages = [
  'docs/security/threat-model.md', 'docs/security/incident-response.md',
  'docs/security/asvs.md', 'docs/reference/access.md',
];

/** A line of the file that has what the pages about security claim, with the tests that show it. */
export interface Claim {
  standard: string;
  id: string;
  state: string;
  about: string;
  how: string;
  shownBy: string;
  /** If it is not met. */
  remedy: string;
}

export const claimsFile = 'docs/security/claims.tsv';

export function readClaims(): Claim[] {
  const [, ...lines] = read(claimsFile).replace(/\n$/, '').split('\n');
  return lines.map((line) => {
    const [standard = '', id = '', state = '', about = '', how = '', shownBy = '', remedy = ''] =
      line.split('\t');
    return { standard, id, state, about, how, shownBy, remedy };
  });
}

/** The text of these pages, one behind the other. */
export function readSecurity(): string {
  return securityPages.map(read).join('\n');
}
