import { randomBytes } from 'node:crypto';
import { operator, scopes } from '../../src/platform/common/access/caller.ts';
import { WorkspaceSettingsService } from '../../src/features/registry/settings/workspace-settings.service.ts';
import { NDJSON } from '../support/api/api-client.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { noteForeignToken } from '../support/jest/leaks.ts';
import { IMPORT, linesOf, toLines } from '../support/api/lines.ts';
import { withService } from '../support/test-service.ts';

onEachDatabase((kind) => {
  const service = withService(kind);

  const send = async (query: string, ...groups: object[]) =>
    linesOf(await service.api.call('POST', `${IMPORT}?${query}`, toLines(...groups), NDJSON));
  const tables = [
    'user_group',
    'user_group_token',
    'data_source_mapping',
    'audit_event',
    'user_group_version',
  ];
  const countRows = () =>
    Promise.all(
      tables.map(async (table) => (await service.query(`SELECT 1 FROM ${table}`)).length),
    );

  test('a dry run tells each result that the import then has, and stores nothing', async () => {
    await service.api.put({ user_group_id: 'known', name: 'Known' });
    await service.api.put({ user_group_id: 'same', name: 'Same' });
    const token = `legacy-${randomBytes(30).toString('hex')}`;
    noteForeignToken(token);
    const groups = [
      { user_group_id: 'new', name: 'New', mapping: { s: 1 } },
      { user_group_id: 'known', name: 'Changed', token },
      { user_group_id: 'same', name: 'Same' },
      { user_group_id: 'new', name: 'Twice' },
      { user_group_id: 'nameless' },
      { user_group_id: 'of the same token', name: 'T', token },
    ];
    const before = await countRows();
    const checked = await send('dry_run=true', ...groups);
    expect(await countRows()).toEqual(before);
    const imported = await send('', ...groups);
    const withoutNew = imported.map(({ team_id, ...line }) => ({
      ...line,
      ...(line.line > 1 && team_id && { team_id }),
    }));
    expect(checked).toEqual(withoutNew);
    expect(checked.map(({ result, code, summary }) => result || code || summary)).toEqual([
      'created',
      'updated',
      'unchanged',
      'validation_failed',
      'validation_failed',
      'token_not_usable',
      { created: 1, updated: 1, unchanged: 1, failed: 3, tokens_replaced: 1, complete: true },
    ]);
  });

  test('groups beyond the quota are refused in a later batch, too', async () => {
    const api = service.clientOf(await service.issueToken([...scopes], 'full'));
    const [workspace] = await service.query<{ id: number }>(
      `SELECT id FROM workspace WHERE name = 'full'`,
    );
    await service.app.get(WorkspaceSettingsService).setUserGroupQuota(operator(workspace!.id), 250);
    const groups = Array.from({ length: 600 }, (_, n) => ({ user_group_id: `g${n}`, name: 'G' }));
    const lines = linesOf(
      await api.call('POST', `${IMPORT}?dry_run=true&results=failed`, toLines(...groups), NDJSON),
    );
    expect(lines.at(-1)!.summary).toMatchObject({ created: 250, failed: 350 });
    expect(lines[0]).toMatchObject({ line: 251, code: 'user_group_quota_reached' });
    expect(await service.query(`SELECT 1 FROM user_group WHERE provided_id = 'g1'`)).toEqual([]);
  });

  test('another value of dry_run is refused: a misspelt one would store', async () => {
    const { status, body } = await service.api.call('POST', `${IMPORT}?dry_run=yes`, '', NDJSON);
    expect([status, body.errors[0]]).toEqual([
      422,
      expect.objectContaining({ parameter: 'dry_run' }),
    ]);
  });
});
