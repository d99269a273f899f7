import { scopes } from '../../src/platform/common/access/caller.ts';
import { generateToken } from '../../src/platform/common/secret/secrets.ts';
import { isOfChangeFeed, recordCalls } from '../support/database/database-traffic.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { noteTokens } from '../support/jest/leaks.ts';
import { withService } from '../support/test-service.ts';

const roundTrips = recordCalls();

onEachDatabase((kind) => {
  const service = withService(kind);

  async function statementsOf(token: string): Promise<string[]> {
    roundTrips.length = 0;
    const { status, body } = await service.api.call('POST', '/api/v1/tokens/inspect', { token });
    expect([status, body]).toMatchObject([200, { inspection: { kind: 'unknown' } }]);
    // The memory of the caller is read again after a while.
    const sent = roundTrips
      .flat()
      .filter((sql) => !isOfChangeFeed(sql) && !sql.includes('allowed_cidrs AS'));
    expect(sent).not.toEqual([]);
    return sent.sort();
  }

  test.each(['ugt', 'uga'] as const)(
    'a %s token of another workspace costs the statements of one that was made up, so that its time tells nothing',
    async (prefix) => {
      const other = service.clientOf(await service.issueToken([...scopes], `other ${prefix}`));
      const { body } = await other.put({ user_group_id: 'theirs', name: 'Theirs' });
      const foreign =
        prefix === 'ugt' ? body.user_group.token : await service.issueToken([], `other ${prefix}`);
      const made = generateToken(prefix);
      noteTokens(made);
      // The first call of a process reads what it then remembers.
      await statementsOf(made);
      expect(await statementsOf(foreign)).toEqual(await statementsOf(made));
    },
  );
});
