import { randomBytes } from 'node:crypto';
import { onEachDatabase } from '../support/database/databases.ts';
import { noteForeignToken } from '../support/jest/leaks.ts';
import { importGroups } from '../support/api/lines.ts';
import { TestWorkspace } from '../support/registry.ts';
import { withService } from '../support/test-service.ts';

/** A token as another system may have issued it. */
function foreignToken(): string {
  const token = `customer-${randomBytes(19).toString('hex')}`;
  noteForeignToken(token);
  return token;
}

// Two workspaces hold one value by accident, or by a guess; neither may notice.
onEachDatabase((kind) => {
  const service = withService(kind);
  let victim: TestWorkspace;
  let guesser: TestWorkspace;
  let count = 0;

  beforeEach(async () => {
    victim = await TestWorkspace.create(service, `victim-${++count}`);
    guesser = await TestWorkspace.create(service, `guesser-${count}`);
  });

  const importInto = async (workspace: TestWorkspace, id: string, token: string) =>
    (await importGroups(workspace.api, { user_group_id: id, name: id, token }))[0]!;
  const subjectOf = async (workspace: TestWorkspace, token: string) => {
    const { body } = await workspace.introspect(token);
    return (body as { sub?: string }).sub;
  };
  const rotate = async (workspace: TestWorkspace, current_token: string, seconds = 0) =>
    (await workspace.api.post({ current_token, grace_period_seconds: seconds })).status;

  test('a value that another workspace holds is imported like any other', async () => {
    const current = foreignToken();
    const ended = foreignToken();
    await importInto(victim, 'theirs', ended);
    await importInto(victim, 'theirs', current);
    const candidates = [foreignToken(), current, ended];
    for (const id of ['new', 'known']) {
      const guesses = await importGroups(
        guesser.api,
        ...candidates.map((token, n) => ({ user_group_id: `${n}`, name: id, token })),
      );
      const team_id = expect.any(Number);
      expect(guesses).toEqual([
        ...candidates.map((_, n) => ({
          line: n + 1,
          success: 1,
          provided_id: `${n}`,
          result: id === 'new' ? 'created' : 'updated',
          team_id,
        })),
        { summary: expect.objectContaining({ failed: 0, complete: true }) },
      ]);
    }
    const subjects = (workspace: TestWorkspace) =>
      Promise.all(candidates.map((token) => subjectOf(workspace, token)));
    expect(await subjects(guesser)).toEqual(['0', '1', '2']);
    expect(await subjects(victim)).toEqual([undefined, 'theirs', undefined]);
    const { body } = await guesser.api.get({ user_group_id: '1' });
    expect(body.user_group.token).toBe(current);
  });

  test('so is one for a group that has a token already', async () => {
    const token = foreignToken();
    await importInto(victim, 'theirs', token);
    await guesser.put('mine');
    expect(await importInto(guesser, 'mine', token)).toMatchObject({ result: 'updated' });
    expect([await subjectOf(victim, token), await subjectOf(guesser, token)]).toEqual([
      'theirs',
      'mine',
    ]);
  });

  test('within a workspace a value belongs to one group, for ever', async () => {
    const token = foreignToken();
    await importInto(victim, 'theirs', token);
    await importInto(guesser, 'mine', token);
    const refusal = { status: 409, code: 'token_not_usable' };
    expect(await importInto(guesser, 'other', token)).toMatchObject(refusal);
    expect(await rotate(guesser, token)).toBe(200);
    expect(await importInto(guesser, 'other', token)).toMatchObject(refusal);
    expect(await subjectOf(victim, token)).toBe('theirs');
  });

  test('what one workspace does to its token leaves that of the other alone', async () => {
    const token = foreignToken();
    await importInto(victim, 'theirs', token);
    await importInto(guesser, 'mine', token);
    expect(await rotate(guesser, token, 60)).toBe(200);
    expect(await rotate(guesser, token)).toBe(404);
    expect([await subjectOf(guesser, token), await subjectOf(victim, token)]).toEqual([
      'mine',
      'theirs',
    ]);
    await guesser.api.call('POST', '/api/v1/user-groups/mine/tokens/1/revoke');
    await guesser.api.call('DELETE', '/api/v1/user-groups/mine');
    expect([await subjectOf(guesser, token), await subjectOf(victim, token)]).toEqual([
      undefined,
      'theirs',
    ]);
    const { body } = await victim.api.get({ user_group_id: 'theirs' });
    expect(body.user_group.token).toBe(token);
    expect(await rotate(victim, token)).toBe(200);
  });
});
