import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { UserGroupImporter } from '../../src/features/bulk/user-group-importer.ts';
import { NDJSON } from '../support/api/api-client.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { type AnswerLine, IMPORT, linesOf, toLines } from '../support/api/lines.ts';
import { withService } from '../support/test-service.ts';
import { until } from '../support/time/until.ts';

onEachDatabase((kind) => {
  const service = withService(kind);

  /** An import whose body is written by the test, piece by piece. */
  function open(apiToken = service.bootstrapToken): {
    outgoing: ClientRequest;
    response: Promise<IncomingMessage>;
  } {
    const outgoing = request(service.baseUrl + IMPORT, {
      method: 'POST',
      agent: false,
      headers: { Authorization: `Token ${apiToken}`, ...NDJSON },
    });
    // A test that cuts the connection hears of it here.
    outgoing.on('error', () => undefined);
    const response = once(outgoing, 'response').then(([incoming]) => incoming as IncomingMessage);
    response.catch(() => undefined);
    return { outgoing, response };
  }

  async function readAll(incoming: IncomingMessage): Promise<AnswerLine[]> {
    let text = '';
    for await (const chunk of incoming) text += String(chunk);
    return linesOf({ text });
  }

  const group = (id: string, size = 0) =>
    toLines({ user_group_id: id, name: 'S', properties: { x: 'x'.repeat(size) } });
  const countGroups = async (prefix: string) =>
    (await service.query(`SELECT 1 FROM user_group WHERE provided_id LIKE '${prefix} %'`)).length;

  test('a line is answered before the next one is sent', async () => {
    const { outgoing, response } = open();
    outgoing.write(group('first').slice(0, 10));
    outgoing.write(group('first').slice(10));
    const incoming = await response;
    const [first] = (await once(incoming, 'data')) as [Buffer];
    expect(JSON.parse(first.toString())).toMatchObject({ line: 1, result: 'created' });
    expect((await service.api.get({ user_group_id: 'first' })).status).toBe(200);
    outgoing.end(group('second'));
    expect(await readAll(incoming)).toMatchObject([{ line: 2 }, { summary: { complete: true } }]);
  });

  test('an import ends with the API token that it was begun with', async () => {
    const apiToken = await service.issueToken(['user-groups:write']);
    const { outgoing, response } = open(apiToken);
    outgoing.write(group('ending 0'));
    const incoming = await response;
    await once(incoming, 'data');
    await service.revokeToken(apiToken);
    let sent = 1;
    const timer = setInterval(() => outgoing.write(group(`ending ${sent++}`)), 50);
    const answers = await readAll(incoming);
    clearInterval(timer);
    expect(answers.at(-1)).toMatchObject({
      summary: { complete: false, code: 'api_token_invalid' },
    });
    expect(await countGroups('ending')).toBe(answers.length);
    outgoing.destroy();
  });

  test('a client that goes away leaves what was answered, and a service that serves', async () => {
    const { outgoing, response } = open();
    outgoing.write(Array.from({ length: 250 }, (_, n) => group(`gone ${n}`)).join('') + '{"user');
    const incoming = await response;
    await once(incoming, 'data');
    outgoing.destroy();
    await until(
      () => service.app.get<{ slots: { total: number } }>(UserGroupImporter).slots.total === 0,
    );
    expect(await countGroups('gone')).toBeGreaterThanOrEqual(50);
    expect((await service.api.get({ user_group_id: 'gone 0' })).status).toBe(200);
  });

  test('a client that sends half of a line and ends the connection is told, or gone', async () => {
    const { outgoing, response } = open();
    outgoing.write(group('half 1'));
    const incoming = await response;
    outgoing.socket!.end();
    // Cut off, or told by the last line: never a list that ends as if it were whole.
    const end = await readAll(incoming).then(
      (lines) => lines.at(-1)!.summary['complete'],
      (error: unknown) => (error as NodeJS.ErrnoException).code,
    );
    expect([false, 'ECONNRESET']).toContain(end);
    expect(await countGroups('half')).toBe(1);
  });

  test('while nobody reads the answer nothing more is read, and reading goes on where it stopped', async () => {
    const count = 60_000;
    // Refused lines have answers that are longer than they are.
    const line = '{"user_group_id":""}\n';
    const arrived = once(service.app.getHttpServer(), 'request');
    const { outgoing, response } = open();
    const body = Buffer.from(line.repeat(count));
    let isSent = false;
    outgoing.end(body, () => (isSent = true));
    const [{ socket }, answer] = (await arrived) as [IncomingMessage, ServerResponse];
    const incoming = await response;
    const progress = () => [socket.bytesRead, socket.bytesWritten, incoming.readableLength].join();
    let last = '';
    let looks = 0;
    // Buffers on the way are full: the service waits, and nothing moves.
    await until(() => {
      looks = answer.writableNeedDrain && progress() === last ? looks + 1 : 0;
      last = progress();
      return looks > 20;
    });
    expect((await service.api.get({ user_group_id: 'first' })).status).toBe(200);
    expect(progress()).toBe(last);
    const lines = await readAll(incoming);
    expect(isSent).toBe(true);
    expect(lines).toHaveLength(count + 1);
    expect(lines.at(-1)!.summary).toMatchObject({ failed: count, complete: true });
  });
});
