import { bindVariables } from '../../clients/typescript/bind-variables.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { marked } from '../support/api/pages.ts';
import { withService } from '../support/test-service.ts';

type Bind = (bind: typeof bindVariables, viewer: unknown) => { text: string; values: unknown[] };

onEachDatabase((kind) => {
  const service = withService(kind);

  // A new workspace declares no variables, so its introspections have none.
  test('the example of "Build a renderer" binds the introspection of a new workspace, and then declared variables', async () => {
    const code = `${marked('docs/guides/renderers.md', 'bind')}\nreturn { text, values };`;
    // eslint-disable-next-line @typescript-eslint/no-implied-eval -- it is the code of the page
    const bind = new Function('bindVariables', 'viewer', code) as Bind;
    const { token } = await service.api.create({ properties: { region: 'EMEA', seats: 25 } });
    const text = 'SELECT product FROM sale WHERE region = $1 LIMIT $2';
    expect(bind(bindVariables, await service.api.introspect(token))).toEqual({
      text,
      values: ['EMEA', 25],
    });

    const variables = [
      { name: 'region', type: 'string', default: 'APAC' },
      { name: 'seats', type: 'integer', default: 5 },
    ];
    await service.api.call('PATCH', '/api/v1/workspace', { variables });
    const other = await service.api.create({ properties: { region: 'EMEA' } });
    expect(bind(bindVariables, await service.api.introspect(other.token))).toEqual({
      text,
      values: ['EMEA', 5],
    });
  });
});
