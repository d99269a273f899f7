import { onEachDatabase } from '../support/databases';
import { startTestService, type TestService } from '../support/test-service';

onEachDatabase((kind) => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService(kind);
  });

  afterAll(() => service.close());

  test('a new id with a name creates a group and issues its token', async () => {
    const answer = await service.api.get({ user_group_id: 'new', name: 'New group' });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      success: 1,
      new_user_group: true,
      user_group: {
        team_id: expect.any(Number),
        token: expect.stringMatching(/^ugt_[0-9A-Za-z]{38}$/),
        name: 'New group',
        provided_id: 'new',
      },
    });
  });
});
