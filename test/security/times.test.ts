import { createTestDatabase, onEachDatabase } from '../support/database/databases.ts';
import { startOwnServer } from '../support/process/processes.ts';

const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

onEachDatabase((kind) => {
  test('every time in the log, the audit log and the answers is UTC, wherever the machine stands', async () => {
    const database = await createTestDatabase(kind);
    const started = Date.now();
    // Five hours and three quarters ahead.
    const server = await startOwnServer({ ...database.env, TZ: 'Asia/Kathmandu' });
    const { body } = await server.api.call('PUT', '/api/v1/user-groups/g', { name: 'G' });
    const { body: audit } = await server.api.call('GET', '/api/v1/audit-events');
    await server.stop();
    const lines = server.output().trim().split('\n');
    const times = [
      ...lines.map((line) => (JSON.parse(line) as { time: string }).time),
      ...audit.audit_events.map(({ occurred_at }) => occurred_at),
      body.user_group.created_at,
      body.user_group.updated_at,
    ];
    expect(lines.length).toBeGreaterThan(2);
    expect(audit.audit_events.length).toBeGreaterThan(1);
    for (const time of times) {
      expect(time).toMatch(UTC);
      expect(Date.parse(time)).toBeGreaterThan(started - 1000);
      expect(Date.parse(time)).toBeLessThanOrEqual(Date.now());
    }
    await database.drop();
  });
});
