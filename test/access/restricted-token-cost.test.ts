import { scopes } from '../../src/platform/common/access/caller.ts';
import { isOfChangeFeed, recordCalls } from '../support/database/database-traffic.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { withService } from '../support/test-service.ts';

const AUDIENCE = { audience: 'https://dashboards.example.com' };

const CALLS: [method: string, rest: string, body?: object][] = [
  ['GET', ''],
  ['GET', `?at=${new Date().toISOString()}`],
  ['PATCH', '', { name: 'x' }],
  ['DELETE', ''],
  ['POST', '/suspend'],
  ['POST', '/rename', { provided_id: 'another' }],
  ['GET', '/view'],
  ['GET', '/versions'],
  ['GET', '/versions/1'],
  ['POST', '/versions/1/restore'],
  ['GET', '/usage'],
  ['GET', '/limits'],
  ['GET', '/tokens'],
  ['GET', '/tokens/current'],
  ['POST', '/tokens/rotate', {}],
  ['POST', '/tokens/1/revoke'],
  ['POST', '/embed-tokens', AUDIENCE],
];

/** Reads the caller, whom the service keeps for a second: the clock decides which call sends it. */
const AUTHENTICATION = /FROM api_token\s+WHERE token_hash/;

onEachDatabase((kind) => {
  const roundTrips = recordCalls();
  const service = withService(kind);

  test.each(CALLS.map(([method, rest, body]) => ({ method, rest, body })))(
    '$method $rest of a group outside of the range, or by its former id, sends the statements of one that is not there',
    async ({ method, rest, body }) => {
      const other = await service.api.create();
      const former = await service.api.create();
      await service.api.call('POST', `${former.path}/rename`, { provided_id: `not ${former.id}` });
      const issued = await service.api.call('POST', '/api/v1/api-tokens', {
        name: 'restricted',
        scopes,
        user_groups: { where: { environment: 'staging' } },
      });
      const api = service.clientOf(issued.body.api_token.token);
      const sentBy = async (path: string) => {
        roundTrips.length = 0;
        const { status } = await api.call(method, `${path}${rest}`, body);
        const sent = roundTrips.flat();
        return {
          status,
          sent: sent.filter((sql) => !isOfChangeFeed(sql) && !AUTHENTICATION.test(sql)),
        };
      };
      const absent = '/api/v1/user-groups/none';
      await sentBy(absent);
      const wanted = await sentBy(absent);
      expect(wanted.status).toBe(404);
      expect(wanted.sent.length).toBeGreaterThan(0);
      expect(await sentBy(other.path)).toEqual(wanted);
      expect(await sentBy(former.path)).toEqual(wanted);
    },
  );
});
