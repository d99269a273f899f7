import { createGroup, withConsole } from '../../support/console/console-tests.ts';
import { noteTokens } from '../../support/jest/leaks.ts';

const { begin } = withConsole('sqlite');

test('the audit log names an API token beyond those that its filter offers', async () => {
  const { page, api } = await begin();
  for (let no = 0; no < 201; no++) {
    const body = { name: `program ${no}`, scopes: ['audit:read'] };
    noteTokens((await api.call('POST', '/api/v1/api-tokens', body)).body.api_token.token);
  }
  const first = (await api.call('GET', '/api/v1/api-tokens?limit=200')).body;
  const next = `/api/v1/api-tokens?limit=200&cursor=${first.next_cursor}`;
  const { id, name } = (await api.call('GET', next)).body.api_tokens.at(-1)!;
  await page.visit(`audit?object_type=api_token&object_id=${id}`);
  await page.shows(`issued the API token ${name}`);
});
