import { UserGroupList } from '../../../src/core/user-group/resource/user-group-list.ts';
import { TestJobs } from '../../bulk-job/test-jobs.ts';
import { type ApiClient, NDJSON } from '../../support/api/api-client.ts';
import { IMPORT, toLines } from '../../support/api/lines.ts';
import { createGroup, withConsole } from '../../support/console/console-tests.ts';

const { service, begin } = withConsole('sqlite');

afterEach(() => {
  jest.restoreAllMocks();
});

const fill = (api: ApiClient, count: number) => {
  const groups = Array.from({ length: count }, (_, n) => {
    const properties = { region: n < count - 10 ? 'EMEA' : 'APAC' };
    return { user_group_id: `g${n}`, name: `Group ${n}`, properties };
  });
  return api.call('POST', IMPORT, toLines(...groups), NDJSON);
};

/** Lets a job wait after its first part, until it is released. */
const holdInTheMiddle = () => {
  const list = service.app.get(UserGroupList);
  const readPage = list.page.bind(list);
  let release!: () => void;
  const held = new Promise<void>((resolve) => (release = resolve));
  jest
    .spyOn(list, 'page')
    .mockImplementationOnce(readPage)
    .mockImplementationOnce(async (...of) => {
      await held;
      return readPage(...of);
    });
  return release;
};

test('all that match a filter become a job, which Back, a reload and another tab show', async () => {
  const { page, api } = await begin();
  await fill(api, 270);
  const release = holdInTheMiddle();
  await page.visit('groups?property=region&value=EMEA');
  await page.row('Group 259').waitFor();
  await page.field('Select all that are shown').check();
  await page.button('Select all that match').click();
  await page.shows('260 user groups selected');
  await page.button('Suspend').click();
  await page.dialog('Suspend 260').getByRole('button', { name: 'Suspend' }).click();
  await page.heading('Suspend 260 user groups').waitFor();
  await page.shows('200 changed, 0 unchanged, 0 refused');
  const address = page.tab.url();
  await page.tab.goBack();
  await page.row('Group 259').waitFor();
  await page.tab.goForward();
  await page.heading('Suspend 260 user groups').waitFor();
  await page.tab.reload();
  await page.heading('Suspend 260 user groups').waitFor();
  const other = await page.tab.context().newPage();
  await other.goto(address);
  await other.getByText('200 changed, 0 unchanged, 0 refused').waitFor();
  release();
  await other.getByText('260 changed, 0 unchanged, 0 refused').waitFor();
  await other.close();
  await page.shows('260 changed, 0 unchanged, 0 refused');
  await page.button('Undo').click();
  await page.dialog('Undo').getByText('Suspend 260 user groups').waitFor();
  await page.dialog('Undo').getByRole('button', { name: 'Resume' }).click();
  await page.heading('Resume 260 user groups').waitFor();
  await page.shows('260 changed, 0 unchanged, 0 refused');
  await page.tab.getByRole('link', { name: 'Jobs' }).last().click();
  await page.row('Resume 260 user groups').waitFor();
  await page.row('Suspend 260 user groups').waitFor();
});

test('a job is cancelled, and says what it has refused and why', async () => {
  const { page, api } = await begin();
  await createGroup(api, 'kept');
  await fill(api, 260);
  const jobs = new TestJobs(api);
  const release = holdInTheMiddle();
  const { id } = await jobs.begin({ action: 'suspend', all: true });
  await page.visit(`jobs/${id}`);
  await page.shows('200 changed');
  await page.button('Cancel').click();
  await page.shows('cancelled');
  release();
  await api.put({ user_group_id: 'kept', name: 'Changed since' });
  await page.button('Undo').click();
  await page.dialog('Undo').getByRole('button', { name: 'Resume' }).click();
  await page.shows('199 changed, 0 unchanged, 1 refused');
  await page.row('kept').waitFor();
  await page.shows(`The group has changed since the job ${id} changed it.`);
});

test('tokens are rotated by a job with the overlap that was chosen', async () => {
  const { page, api } = await begin();
  await fill(api, 70);
  const { token } = (await api.get({ user_group_id: 'g7' })).body.user_group;
  await page.visit('groups?property=region&value=EMEA');
  await page.row('Group 59').waitFor();
  await page.field('Select all that are shown').check();
  await page.button('Select all that match').click();
  await page.button('Rotate tokens').click();
  const confirm = page.dialog('Rotate the tokens of 60 user groups');
  await confirm.getByLabel('now').check();
  await confirm.getByRole('button', { name: 'Rotate' }).click();
  await page.shows('60 changed, 0 unchanged, 0 refused');
  expect(await api.introspect(token)).toEqual({ active: false });
  expect(await page.read(0, () => page.button('Undo').count())).toBe(0);
});

test('who may not write sees jobs, and neither cancels nor undoes one', async () => {
  const { api, workspace } = await begin();
  await createGroup(api, 'one');
  const jobs = new TestJobs(api);
  const { id } = await jobs.begin({ action: 'suspend', all: true });
  await jobs.ended(id);
  const { page } = await begin({ scopes: ['user-groups:read'], workspace });
  await page.visit(`jobs/${id}`);
  await page.shows('1 changed');
  expect(await page.read(0, () => page.button('Undo').count())).toBe(0);
});

test('an import is shown with what it has created and the number of each refused line, and is undone', async () => {
  const { page, api } = await begin();
  const jobs = new TestJobs(api);
  await createGroup(api, 'kept');
  const { id } = await jobs.beginImport(
    '{"provided_id": "made", "name": "Made"}\n{"provided_id": "kept", "name": "New"}\nnot json\n',
  );
  await page.visit(`jobs/${id}`);
  await page.heading('Import 3 user groups').waitFor();
  await page.shows('1 created, 1 changed, 0 unchanged, 1 refused');
  await page.shows('the lines of a file');
  await page.row('Line 3').waitFor();
  await page.button('Undo').click();
  const undo = page.dialog('Undo');
  await undo
    .getByText(
      'Deletes 1 user group that it created, with all tokens, and gives 1 user group the version before.',
    )
    .waitFor();
  const submit = undo.getByRole('button', { name: 'Undo' });
  expect(await page.read(true, () => submit.isDisabled())).toBe(true);
  await page.field('Type 1 to confirm').fill('1');
  await submit.click();
  await page.heading('Restore 2 user groups').waitFor();
  await page.shows('2 changed, 0 unchanged, 0 refused');
  expect((await api.call('GET', '/api/v1/user-groups/made')).status).toBe(404);
  expect((await api.call('GET', '/api/v1/user-groups/kept')).body.user_group.name).toBe('kept');
});

test('the undo of an import that has created nothing asks for no number', async () => {
  const { page, api } = await begin();
  const jobs = new TestJobs(api);
  await createGroup(api, 'kept');
  const { id } = await jobs.beginImport('{"provided_id": "kept", "name": "New"}\n');
  await page.visit(`jobs/${id}`);
  await page.shows('1 changed, 0 unchanged, 0 refused');
  await page.button('Undo').click();
  await page.dialog('Undo').getByRole('button', { name: 'Undo' }).click();
  await page.heading('Restore 1 user group').waitFor();
  await page.shows('1 changed, 0 unchanged, 0 refused');
});
