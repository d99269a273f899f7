// Precedes the service, as the catalogues of the features do.
import './lantern.settings.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { withService } from '../support/test-service.ts';

onEachDatabase((kind) => {
  const service = withService(kind, { LANTERN_RETENTION_DAYS: '7d' });

  test('a retention period that a feature declares is on the system page', async () => {
    const { body } = await service.api.call('GET', '/api/v1/system');
    expect(body).toMatchObject({ system: { retention: { audit_days: 365, lantern_days: 7 } } });
  });

  test('it is in the OpenAPI document', async () => {
    const { body } = await service.api.call('GET', '/docs-json');
    const { SystemRetention: schema } = (
      body as unknown as { components: { schemas: Record<string, object> } }
    ).components.schemas;
    expect(schema).toMatchObject({
      required: expect.arrayContaining(['audit_days', 'lantern_days']),
      properties: {
        lantern_days: {
          type: 'integer',
          description: 'Days for which it keeps lanterns.',
          example: 12,
        },
      },
    });
  });
});
