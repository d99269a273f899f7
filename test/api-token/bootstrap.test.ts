import { pino } from 'pino';
import { ApiTokenBootstrap } from '../../src/core/api-token/provisioning/api-token.bootstrap.ts';
import { logStartup } from '../../src/server/app/log-startup.ts';
import { generateToken } from '../../src/platform/common/secret/secrets.ts';
import { Config } from '../../src/platform/config/config.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { noteTokens } from '../support/jest/leaks.ts';
import { startTestService } from '../support/test-service.ts';

onEachDatabase((kind) => {
  test('a changed first token is said to have no effect, at each start', async () => {
    const first = await startTestService(kind);
    expect(await first.app.get(ApiTokenBootstrap).run()).toEqual({ kind: 'present' });
    const other = generateToken('uga');
    noteTokens(other);
    const second = await startTestService(first.database, { BOOTSTRAP_API_TOKEN: other });
    const result = await second.app.get(ApiTokenBootstrap).run();
    expect(result).toEqual({ kind: 'ignored' });
    expect((await second.clientOf(other).get({ user_group_id: 'x' })).status).toBe(401);
    const lines: string[] = [];
    const log = pino({}, { write: (line: string) => lines.push(line) });
    logStartup({ ...second.app.get(Config), logFormat: 'json' }, log, result);
    expect(JSON.parse(lines.join(''))).toMatchObject({
      level: 40,
      first_token: expect.stringMatching(/^BOOTSTRAP_API_TOKEN is no active API token/),
    });
    await second.close();
    await first.issueToken(['admin']);
    await first.revokeToken(first.bootstrapToken);
    expect(await first.app.get(ApiTokenBootstrap).run()).toEqual({ kind: 'ignored' });
    await first.close();
  });
});
