import { SeenIds } from '../../src/features/bulk/seen-ids.ts';

const REMEMBERED = 10_000;

test('an id is refused again among the last 10,000 lines, and not before them', () => {
  const seen = new SeenIds();
  const last = 3 * REMEMBERED;
  for (let line = 1; line <= last; line++) seen.add(`id ${line}`, line, '/provided_id');
  const oldest = last + 1 - REMEMBERED;
  const addAgain = (line: number) => () => {
    seen.add(`id ${line}`, last + 1, '/provided_id');
  };
  expect(addAgain(oldest)).toThrow(`Lines ${oldest} and ${last + 1} have the same id`);
  expect(addAgain(oldest - 1)).not.toThrow();
});
