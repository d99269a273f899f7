import { onEachDatabase } from '../support/database/databases.ts';
import { callsWithWrongTypes, describeOperations } from '../support/api/every-operation.ts';
import { withService } from '../support/test-service.ts';

onEachDatabase((kind) => {
  const service = withService(kind);

  test('a value of another type is refused by its name, in every field of every body', async () => {
    const wrong: string[] = [];
    let count = 0;
    for (const operation of await describeOperations()) {
      // Each of its lines has an answer of its own.
      if (operation.path.endsWith('/import')) continue;
      for (const { field, call } of callsWithWrongTypes(operation)) {
        // Fields of a form, which JSON does not have: what is unknown is ignored.
        if (field.startsWith('client_')) continue;
        const { status, text } = await service.api.send(call);
        count++;
        // The pointer of a line begins with the number of the line.
        const isNamed = ['/', '/1/'].some((start) => text.includes(`"pointer":"${start}${field}`));
        if (status !== 422 || !isNamed) {
          wrong.push(`${status} ${call.method} ${call.path} ${String(call.body)}`);
        }
      }
    }
    expect(count).toBeGreaterThan(100);
    expect(wrong).toEqual([]);
  });
});
