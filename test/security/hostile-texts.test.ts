import type { Answer } from '../support/api/api-client.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { callsWith, describeOperations } from '../support/api/every-operation.ts';
import { registryBody } from '../support/registry.ts';
import { withService } from '../support/test-service.ts';

/** Texts with a meaning to SQL, to a shell, as a format, to a template, as a path, or to a pattern. */
const TEXTS = [
  `'`,
  `"`,
  `x'; DROP TABLE user_group; --`,
  `' OR '1'='1`,
  `1 OR 1=1`,
  `:workspaceId`,
  `$1`,
  `?`,
  `\\`,
  `%s %d %j %o %%`,
  '${7*7} {{7*7}} <%= 7*7 %>',
  '$(exit 1) `exit 1` | exit 1',
  '.../...//etc/passwd',
  `(a+)+$ [ .* ^`,
  `%' _`,
];

onEachDatabase((kind) => {
  const service = withService(kind);

  test.each(TEXTS.map((text, index) => [text, index] as const))(
    'the text %j is kept as it is wherever it may stand, and found by it alone',
    async (text, index) => {
      const { api } = service;
      const id = `${text} ${index}`;
      const other = `x ${index}`;
      const path = `/api/v1/user-groups/${encodeURIComponent(id)}`;
      const group = { mapping: { [id]: text }, properties: { [text]: text } };
      await api.put({ user_group_id: other, name: other, ...group });
      expect((await api.put({ user_group_id: id, name: id, ...group })).status).toBe(200);
      const { body } = await api.call('GET', path);
      expect(body.user_group).toMatchObject({ provided_id: id, name: id, ...group });

      const found = await api.call(
        'GET',
        `/api/v1/user-groups?name_prefix=${encodeURIComponent(id)}`,
      );
      expect(found.body.user_groups.map(({ provided_id }) => provided_id)).toEqual([id]);
      const events = await api.call(
        'GET',
        `/api/v1/audit-events?object_type=user_group&object_id=${encodeURIComponent(id)}`,
      );
      const objects = events.body.audit_events.map(({ object }) => object?.id);
      expect(new Set(objects)).toEqual(new Set([id]));

      const registered = await api.call('POST', '/api/v1/data-sources', {
        provided_id: id,
        name: text,
      });
      expect(nameOf(registered)).toEqual([id, text]);
      const listed = await api.call(
        'GET',
        `/api/v1/data-sources?provided_id=${encodeURIComponent(id)}`,
      );
      expect(listed.text).toContain(JSON.stringify(id));

      expect((await api.call('DELETE', path)).status).toBe(200);
      expect((await api.get({ user_group_id: other })).status).toBe(200);
    },
  );

  // Last, because it also changes what the workspace asks of its groups.
  test('no text in any place is more than a text: every operation answers, and none is a defect', async () => {
    const operations = await describeOperations();
    expect(operations.length).toBeGreaterThan(40);
    const defects: string[] = [];
    let [count, successes] = [0, 0];
    // The last text is refused as the id of a new group.
    for (const text of [...TEXTS, '../../../etc/passwd']) {
      for (const operation of operations) {
        for (const call of callsWith(operation, text)) {
          // It would end the token with which these calls are made.
          if (call.path!.includes('/api-tokens/1/')) continue;
          const { status } = await service.api.send(call);
          count++;
          if (status < 300) successes++;
          // A gateway without its settings is told that it is misconfigured.
          const isMisconfigured = status === 502 && operation.path === '/api/v1/forward-auth';
          if (status >= 500 && !isMisconfigured) {
            defects.push(`${status} ${call.method} ${call.path} ${text}`);
          }
        }
      }
    }
    expect(count).toBeGreaterThan(1000);
    expect(successes).toBeGreaterThan(300);
    expect(defects).toEqual([]);
  });
});

function nameOf(answer: Answer): string[] {
  const { provided_id, name } = registryBody(answer).data_source;
  return [provided_id, name];
}
