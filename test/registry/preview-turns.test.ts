import type { Statements } from '../../src/platform/database/statements.ts';
import { IncompleteGroups } from '../../src/features/group-checks/incomplete-groups.ts';

const GROUPS = 500;

test('a preview over many groups lets other work run in between', async () => {
  const rows = Array.from({ length: GROUPS }, (_, id) => ({
    id,
    providedId: `g${id}`,
    version: 1,
    flaw: null,
    mapping: null,
    properties: id % 10 === 0 ? '{"region":"EMEA"}' : '{}',
  }));
  const groups = new IncompleteGroups({
    read: () => Promise.resolve(rows),
  } as unknown as Statements);
  const variable = { name: 'region', type: 'string', required: true, is_secret: false } as const;
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const rules = (variables: object[]) => ({ variables, requiredSchemas: [] }) as never;
  const found = await groups.preview(
    1,
    { present: rules([]), wanted: rules([variable]) },
    0,
    GROUPS,
  );
  isDone = true;
  expect(turns).toBeGreaterThanOrEqual(9);
  expect(found.lookedUntil).toBe(GROUPS - 1);
  expect(found.groups.map(({ id }) => id)).toEqual(
    rows.map(({ id }) => id).filter((id) => id % 10 > 0),
  );
});
