import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

const FOLDERS = ['.ci', 'bench', 'console', 'deploy', 'docs', 'scripts', 'src', 'test'];
/** Documents, and every file that has comments. The changelog keeps the paths of its time. */
const READ = /^(?!CHANGELOG).*(\.(md|[cm]?tsx?|mjs|sh|ya?ml)|\/run)$/;
/** A path from the root; behind a dot, a slash or a word it is part of another one. */
const FILE =
  /(?<![\w./@^-])(?:src|test|scripts|bench|deploy|docs)\/[\w/.-]*\w\.(?:md|mjs|sh|tsx?)\b/g;
/** Some routes are spelled like folders, but for their first part. */
const FOLDER = /(?<=`)(?:src|test|scripts|bench|deploy)\/[\w/-]+(?=`)/g;
/** The directory in which contributors write their first module. */
const READERS_OWN = 'src/features/greeting/';

test('every path that a document or a comment names is there', () => {
  const missing = [...readdirSync(root), ...FOLDERS.flatMap(filesOf)]
    .filter((name) => READ.test(name))
    .flatMap((name) => {
      const text = read(name);
      return [...(text.match(FILE) ?? []), ...(text.match(FOLDER) ?? [])]
        .filter((path) => !path.startsWith(READERS_OWN) && !existsSync(join(root, path)))
        .map((path) => `${name}: ${path}`);
    });
  expect(missing).toEqual([]);
});

/** `UserGroupWriter`, `Statements.read`, `BULK_WAVES`: a name of code has a capital letter or an underscore inside. */
const NAME = /(?<=`@?)(?:[A-Za-z]\w*[a-z\d][A-Z]\w*(?:\.\w+)*(?=`|\()|[A-Z]+(?:_[A-Z]+)+(?=[`=]))/g;

test('every name of code in decisions, rules and the pages for developers is there', () => {
  const code = [
    'src',
    'test',
    'scripts',
    'clients/embed',
    'clients/typescript',
    'examples',
    'tsconfig.json',
  ]
    .flatMap(filesOf)
    .filter((name) => /\.([cm]?tsx?|mjs|json)$/.test(name))
    .flatMap((name) => read(name).match(/\w+/g) ?? []);
  const names = new Set(code);
  const missing = [
    ...filesOf('docs/adr'),
    'docs/architecture.md',
    'docs/ways-through-the-code.md',
    ...['events', 'library', 'plugins', 'ports'].map((name) => `docs/extend/${name}.md`),
    'docs/operate/scaling.md',
    'CONTRIBUTING.md',
    'README.md',
  ].flatMap((name) =>
    (read(name).match(NAME) ?? [])
      .filter((found) => !found.split('.').every((part) => names.has(part)))
      .map((found) => `${name}: ${found}`),
  );
  expect(missing).toEqual([]);
});

/** The files of a folder, or the file itself, from the root. */
function filesOf(path: string): string[] {
  if (statSync(join(root, path)).isFile()) return [path];
  return readdirSync(join(root, path), { recursive: true, encoding: 'utf8' }).map(
    (name) => `${path}/${name}`,
  );
}

function read(name: string): string {
  return readFileSync(join(root, name), 'utf8');
}
