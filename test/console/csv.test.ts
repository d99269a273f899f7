import { decoded, readTable, toTable } from '../../console/src/pages/groups/csv.ts';

const linesOf = (text: string) => readTable(text).map(({ line }) => line);

const line = (group: object) => `${JSON.stringify({ mapping: {}, properties: {}, ...group })}\n`;

test('no field of a table is a formula, whichever of the usual separators a spreadsheet takes', () => {
  const names = ['x;=WEBSERVICE(B1)', '=1+1', '+1', '-1', '@SUM(A1)', 'a,=1', 'plain', 'say "x;y"'];
  const table = toTable(
    names.map((name, index) => line({ user_group_id: `g${index}`, name })).join(''),
  );
  const [, ...records] = table.trimEnd().split('\r\n');
  expect(records).toEqual([
    'g0,"x;=WEBSERVICE(B1)"',
    "g1,'=1+1",
    "g2,'+1",
    "g3,'-1",
    "g4,'@SUM(A1)",
    'g5,"a,=1"',
    'g6,plain',
    'g7,"say ""x;y"""',
  ]);
});

test('a table is read as the groups that it was made of', () => {
  const groups = [
    {
      user_group_id: 'a;b',
      name: 'A; "B"',
      mapping: { sales: 'x;y' },
      properties: { plan: 'gold;' },
    },
  ];
  const [head, ...lines] = linesOf(toTable(groups.map(line).join('')));
  expect(head).toBe('');
  expect(lines.map((one) => JSON.parse(one) as object)).toEqual(groups);
});

test('a table is read with commas, semicolons or tabs, whichever its first record has', () => {
  const lines = ['', '{"provided_id":"a","name":"A, B; C","properties":{"plan":"x"}}'];
  const tables = [
    'provided_id,name,properties.plan\na,"A, B; C",x\n',
    'provided_id;name;properties.plan\r\na;"A, B; C";x\r\n',
    'provided_id\tname\tproperties.plan\na\tA, B; C\tx',
  ];
  expect(tables.map(linesOf)).toEqual(tables.map(() => lines));
  expect(linesOf('"provided_id",name,"properties.a;b;c"\na,A,1\n')).toEqual([
    '',
    '{"provided_id":"a","name":"A","properties":{"a;b;c":1}}',
  ]);
});

test('a file that is not UTF-8 is read as Windows-1252, and said to be', async () => {
  const legacy = Buffer.from('Müller & Söhne', 'latin1');
  expect(await decoded(new Blob([legacy]))).toEqual({ text: 'Müller & Söhne', isLegacy: true });
  expect(await decoded(new Blob(['\uFEFFMüller €']))).toEqual({
    text: 'Müller €',
    isLegacy: false,
  });
});

test('each record of a table has its number as a line, and its own text', () => {
  const table = '\uFEFFprovided_id;name\r\n"a";"A\nB"\r\n\r\n;\r\nb;B';
  expect(readTable(table)).toEqual([
    { text: 'provided_id;name', line: '' },
    { text: '"a";"A\nB"', line: '{"provided_id":"a","name":"A\\nB"}' },
    { text: '', line: '' },
    { text: '', line: '' },
    { text: 'b;B', line: '{"provided_id":"b","name":"B"}' },
  ]);
});
