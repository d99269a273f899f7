import { scopes } from '../../src/platform/common/access/caller.ts';
import '../../src/platform/config/config.ts';
import { variables } from '../support/code/variables.ts';
import { describeOperations } from '../support/api/every-operation.ts';
import { readSecurity } from '../support/api/pages.ts';

const page = readSecurity();

/** The service's own address: the service names itself by it and connects to nothing. */
const OWN_ADDRESS = 'PUBLIC_URL';

/** The text below a heading of the pages about security, up to the next one. */
function section(heading: string): string {
  const [, after] = page.split(`\n${heading}\n`);
  if (after === undefined) throw new Error(`the pages about security has no heading "${heading}"`);
  return after.split(/\n#+ /)[0]!;
}

/** The configuration variables that the section does not name. */
function missingIn(heading: string, isWanted: (name: string, isSecret: boolean) => boolean) {
  const text = section(heading);
  return variables
    .filter(({ name, secret }) => isWanted(name, secret === true))
    .map(({ name }) => name)
    .filter((name) => !text.includes(`\`${name}\``) && !text.includes(`:\`${name}\``));
}

test('every secret of the configuration is among what is worth protecting', () => {
  expect(missingIn('## What is worth protecting', (_name, isSecret) => isSecret)).toEqual([]);
});

test('every place that the configuration names is among what the service talks to', () => {
  const isPlace = (name: string) => /(_URL|PORT|^HOST|_DIR)$/.test(name) && name !== OWN_ADDRESS;
  expect(missingIn('## What the service talks to', isPlace)).toEqual([]);
});

test('every limit of the configuration is among what bounds what costs much', () => {
  const isLimit = (name: string) => /LIMIT|_PER_MINUTE$|QUOTA|MAX/.test(name);
  expect(variables.filter(({ name }) => isLimit(name)).length).toBeGreaterThan(2);
  expect(missingIn('## What costs much', isLimit)).toEqual([]);
});

describe('who may do what', () => {
  const cells = (heading: string) =>
    section(heading)
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .map((line) =>
        line
          .slice(1, -1)
          .split(/(?<!\\)\|/)
          .map((cell) => cell.trim()),
      );

  test('every scope is told, and no other', () => {
    const documented = cells('### Who may do what').map(([scope]) => scope);
    expect(documented.sort()).toEqual(scopes.map((scope) => `\`${scope}\``).sort());
  });

  test('every answer that holds a token is told with its scope, and no other', async () => {
    const documented = cells('### Which responses hold a token').map(([operation, scope]) => [
      operation,
      scope,
    ]);
    const holding = (await describeOperations()).filter(({ answers }) => HOLDS_TOKEN.test(answers));
    const found = holding.map(({ method, path, scopes: needed }) => [
      `\`${method} ${path}\``,
      needed.map((scope) => `\`${scope}\``).join(', '),
    ]);
    expect(documented.sort()).toEqual(found.sort());
  });
});

/** A field of an answer's schema. */
const HOLDS_TOKEN = /"(token|current_token|secret)":\{/;
