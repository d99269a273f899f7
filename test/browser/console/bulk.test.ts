import { createGroup, withConsole } from '../../support/console/console-tests.ts';
import { type ApiClient, NDJSON } from '../../support/api/api-client.ts';
import { IMPORT, toLines } from '../../support/api/lines.ts';

const stored = async (api: ApiClient, id: string) =>
  (await api.call('GET', `/api/v1/user-groups/${encodeURIComponent(id)}`)).body.user_group;

const { begin } = withConsole('sqlite');

test('a selection of all that match ends with another selection, and never becomes one of all', async () => {
  const { page, api } = await begin();
  const groups = Array.from({ length: 70 }, (_, n) => {
    const properties = { region: n < 60 ? 'EMEA' : 'APAC' };
    return { user_group_id: `g${n}`, name: `Group ${n}`, properties };
  });
  await api.call('POST', IMPORT, toLines(...groups), NDJSON);
  await page.visit('groups?property=region&value=EMEA');
  await page.row('Group 59').waitFor();
  await page.button('Select all that match').click();
  await page.shows('60 user groups selected');
  await page.button('Clear').click();
  await page.field('Select all that are shown').check();
  await page.shows('50 user groups selected');
  await page.button('Select all that match').click();
  await page.shows('60 user groups selected');
  await page.field('Select Group 59').uncheck();
  await page.shows('49 user groups selected');
  await page.button('Delete').click();
  await page.field('Type 49 to confirm').fill('49');
  await page.button('Delete for good').click();
  await page.shows('49 changed, 0 unchanged, 0 refused');
  expect((await api.call('GET', '/api/v1/user-groups?limit=200')).body.user_groups).toHaveLength(
    21,
  );
});

test('a suspension of groups that were selected one by one is undone for those that it has changed', async () => {
  const { page, api } = await begin();
  await createGroup(api, 'one');
  await createGroup(api, 'held');
  await api.call('POST', '/api/v1/user-groups/held/suspend');
  await page.visit('groups');
  await page.field('Select all that are shown').check();
  await page.button('Suspend').click();
  await page.dialog('Suspend 2').getByRole('button', { name: 'Suspend' }).click();
  await page.heading('Suspend 2 user groups').waitFor();
  await page.shows('1 changed, 1 unchanged, 0 refused');
  await page.button('Undo').click();
  await page.dialog('Undo').getByRole('button', { name: 'Resume' }).click();
  await page.heading('Resume 1 user group').waitFor();
  await page.shows('1 changed, 0 unchanged, 0 refused');
  const isSuspended = async (id: string) => (await stored(api, id)).suspended_at !== null;
  expect([await isSuspended('one'), await isSuspended('held')]).toEqual([false, true]);
});

test('an import is checked without storing, and its refused lines are corrected in place', async () => {
  const { page, api } = await begin();
  await createGroup(api, 'old');
  await page.visit('groups');
  await page.button('Import').click();
  const dialog = page.dialog('Import user groups');
  const file = [
    '{"provided_id":"old","name":"Renamed"}',
    '{"provided_id":"new","name":"New"}',
    '{"provided_id":"new","name":"Twice"}',
    '{"provided_id":"nameless"}',
  ];
  await page.chooseFile(dialog.getByLabel('File'), 'groups.ndjson', file.join('\n'));
  await dialog.getByRole('button', { name: 'Check' }).click();
  await page.shows('1 would be created, 1 would be changed, 0 unchanged, 2 refused');
  await page.shows('Nothing is stored yet.');
  await page.shows('Lines 2 and 3 have the same id');
  expect((await stored(api, 'old')).name).toBe('old');
  await dialog.getByRole('button', { name: 'Import', exact: true }).click();
  await page.heading('Import 4 user groups').waitFor();
  await page.shows('1 created, 1 changed, 0 unchanged, 2 refused');
  await page.row('Line 3').waitFor();
  await page.button('Correct').click();
  const text = page.dialog('Correct the refused lines').getByLabel('Fix these lines');
  expect(await page.read(file.slice(2).join('\n'), () => text.inputValue())).toBe(
    file.slice(2).join('\n'),
  );
  await text.fill(
    '{"provided_id":"third","name":"Third"}\n{"provided_id":"nameless","name":"Named"}',
  );
  await page.tab.goBack();
  await page.shows('Discard changes?');
  await page.button('Keep editing').click();
  await page.button('Import these lines').click();
  await page.heading('Import 2 user groups').waitFor();
  await page.shows('2 created, 0 changed, 0 unchanged, 0 refused');
  expect((await stored(api, 'nameless')).name).toBe('Named');
});

test('what a check has refused is corrected, and imported with all the other lines', async () => {
  const { page, api } = await begin();
  await page.visit('groups');
  await page.button('Import').click();
  const dialog = page.dialog('Import user groups');
  const good = ['a', 'b', 'c', 'd'].map((id) => `{"provided_id":"${id}","name":"${id}"}`);
  const file = [
    good[0],
    '{"provided_id":"e"}',
    ...good.slice(1, 3),
    '{"provided_id":"f"}',
    good[3],
    '',
  ].join('\n');
  await page.chooseFile(dialog.getByLabel('File'), 'groups.ndjson', file);
  await page.shows('4 would be created, 0 would be changed, 0 unchanged, 2 refused');
  await dialog
    .getByLabel('Fix these lines')
    .fill('{"provided_id":"e","name":"e"}\n{"provided_id":"f"}');
  await dialog.getByRole('button', { name: 'Check' }).click();
  await page.shows('5 would be created, 0 would be changed, 0 unchanged, 1 refused');
  await dialog.getByLabel('Fix these lines').fill('{"provided_id":"f","name":"f"}');
  await dialog.getByRole('button', { name: 'Import all lines' }).click();
  await page.shows('6 created, 0 changed, 0 unchanged, 0 refused');
  const { text } = await api.call('GET', '/api/v1/user-groups?limit=200');
  expect([...text.matchAll(/"provided_id":"(.)"/g)].map(([, id]) => id).sort()).toEqual([
    ...'abcdef',
  ]);
});

test('a CSV file is imported with its numbers, and a column without a meaning is named', async () => {
  const { page, api } = await begin();
  await page.visit('groups');
  await page.button('Import').click();
  const dialog = page.dialog('Import user groups');
  await page.chooseFile(dialog.getByLabel('File'), 'groups.csv', 'provided_id,region\nacme,EMEA\n');
  await page.shows('The first line has the column “region”.');
  for (const [text, words] of [
    ['provided_id,name\na,19" rack\n', 'Line 2 has a quotation mark out of place'],
    ['provided_id,name\na,Acme, Inc\n', 'has 3 fields and not 2'],
  ] as const) {
    await page.chooseFile(dialog.getByLabel('File'), 'groups.csv', text);
    await page.shows(words);
    expect(
      await page.read(true, () =>
        dialog.getByRole('button', { name: 'Import', exact: true }).isDisabled(),
      ),
    ).toBe(true);
  }
  const csv = [
    '\uFEFFprovided_id,name,mapping.sales,properties.seats,properties.plan,properties.code',
    '"acme, ""emea""",Acme,wh,25,,007',
    '',
    'two,"Line\r\nbreak",,true,gold,1.50',
  ];
  await page.chooseFile(dialog.getByLabel('File'), 'groups.csv', csv.join('\r\n'));
  await dialog.getByRole('button', { name: 'Import', exact: true }).click();
  await page.shows('2 created, 0 changed, 0 unchanged, 0 refused');
  const { name, mapping, properties } = await stored(api, 'acme, "emea"');
  expect({ name, mapping, properties }).toEqual({
    name: 'Acme',
    mapping: { sales: 'wh' },
    properties: { seats: 25, code: '007' },
  });
  expect(await stored(api, 'two')).toMatchObject({
    name: 'Line\r\nbreak',
    properties: { seats: true, plan: 'gold' },
  });
});

test('a table of a spreadsheet is read in its character set, and a line has the number of its row', async () => {
  const { page, api } = await begin();
  await page.visit('groups');
  await page.button('Import').click();
  const dialog = page.dialog('Import user groups');
  const table = 'provided_id;name\r\na;Müller & Söhne\r\n\r\nb;\r\n';
  await dialog.getByLabel('File').setInputFiles({
    name: 'Tenants.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from(table, 'latin1'),
  });
  await page.shows('it is read as Windows-1252');
  await dialog.getByRole('button', { name: 'Check' }).click();
  await page.shows('1 would be created, 0 would be changed, 0 unchanged, 1 refused');
  await page.shows(/^Line 4 b/);
  await dialog.getByRole('button', { name: 'Import', exact: true }).click();
  await page.shows('1 created, 0 changed, 0 unchanged, 1 refused');
  await page.row('Line 4').waitFor();
  expect((await stored(api, 'a')).name).toBe('Müller & Söhne');
  await page.button('Correct').click();
  const correct = page.dialog('Correct the refused lines');
  const text = correct.getByLabel('Fix these lines');
  expect(await page.read('b;', () => text.inputValue())).toBe('b;');
  expect(await page.saved(page.button('Save the lines'))).toBe('provided_id;name\nb;\n');
  expect(await page.saved(correct.getByRole('button', { name: 'Save the report' }))).toMatch(
    /^line,provided_id,code,detail\r\n4,b,\w+,[^\r\n]+\r\n$/,
  );
  await text.fill('b');
  await page.button('Import these lines').click();
  await page.shows('The record “b” has 1 fields and not 2.');
  await text.fill('b;Bérénice');
  await page.button('Import these lines').click();
  await page.shows('1 created, 0 changed, 0 unchanged, 0 refused');
  expect((await stored(api, 'b')).name).toBe('Bérénice');
});

test('an import goes on without its page, and its report is there after a reload', async () => {
  const { page, api } = await begin();
  await page.visit('groups');
  await page.button('Import').click();
  const dialog = page.dialog('Import user groups');
  await page.chooseFile(
    dialog.getByLabel('File'),
    'groups.ndjson',
    '{"provided_id":"one","name":"One"}\n\n{"provided_id":"nameless"}\n',
  );
  await dialog.getByRole('button', { name: 'Import', exact: true }).click();
  await page.heading('Import 2 user groups').waitFor();
  await page.tab.reload();
  await page.shows('1 created, 0 changed, 0 unchanged, 1 refused');
  await page.row('Line 3').waitFor();
  expect(await page.read(0, () => page.button('Correct').count())).toBe(0);
  expect(await page.saved(page.button('Save the report'))).toMatch(/\r\n3,nameless,/);
  await page.button('Undo').click();
  await page.field('Type 1 to confirm').fill('1');
  await page.dialog('Undo').getByRole('button', { name: 'Undo' }).click();
  await page.shows('1 changed, 0 unchanged, 0 refused');
  expect((await api.call('GET', '/api/v1/user-groups/one')).status).toBe(404);
});

test('an import does not wait for the check of its file, and another file takes the place of the first', async () => {
  const { page, api } = await begin();
  await page.visit('groups');
  await page.button('Import').click();
  const dialog = page.dialog('Import user groups');
  const choose = (id: string) =>
    page.chooseFile(
      dialog.getByLabel('File'),
      `${id}.ndjson`,
      `{"provided_id":"${id}","name":"${id}"}`,
    );
  const release = await page.hold('**/user-groups/import?dry_run=true*');
  await choose('first');
  await dialog.getByRole('progressbar').waitFor();
  await choose('second');
  await dialog.getByRole('progressbar').waitFor();
  await dialog.getByRole('button', { name: 'Import', exact: true }).click();
  await page.shows('1 created, 0 changed, 0 unchanged, 0 refused');
  release();
  const { body } = await api.call('GET', '/api/v1/user-groups');
  expect(body.user_groups.map(({ provided_id: id }) => id)).toEqual(['second']);
});

test('Back asks while a file is sent', async () => {
  const { page } = await begin();
  await page.tab.route('**/bulk-jobs/import', () => undefined);
  await page.visit('audit');
  await page.tab.getByRole('link', { name: 'User groups' }).click();
  await page.button('Import').click();
  const dialog = page.dialog('Import user groups');
  await page.chooseFile(
    dialog.getByLabel('File'),
    'groups.ndjson',
    '{"provided_id":"one","name":"One"}',
  );
  await dialog.getByRole('button', { name: 'Import', exact: true }).click();
  await dialog.getByRole('progressbar').waitFor();
  await page.tab.goBack();
  await page.shows('It still runs. Stop it?');
  await page.comesTo('groups');
  await page.button('Stop').click();
  await page.shows('Stopped, unless all had arrived');
  await dialog.waitFor({ state: 'detached' });
});
