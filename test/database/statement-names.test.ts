import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const source = join(import.meta.dirname, '..', '..', 'src');
const NAMED = /\bstatement(?:<[^(]*>)?\(\s*['`]([\w.:-]+)/g;

/** A process keeps the text of a statement under its name: a second statement of that name would run the text of the first. */
test('no two statements that one process can run have one name', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const named = files.flatMap((file) =>
    [...readFileSync(join(source, file), 'utf8').matchAll(NAMED)].map(([, name]) => {
      const [, kind = ''] = /(?:^|\/)(sqlite|postgres)\//.exec(file) ?? [];
      return { name: name!, kind };
    }),
  );
  expect(named.length).toBeGreaterThan(100);
  const repeated = named.filter((one, index) =>
    named.some(
      (other, place) =>
        place < index && other.name === one.name && (other.kind === one.kind || !other.kind || !one.kind),
    ),
  );
  expect(repeated).toEqual([]);
});
