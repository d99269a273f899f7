import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RemotePlans } from '../../src/features/plan/files/remote-plans.ts';

/** The response of the server to each call. */
let said = { status: 200, text: '' };
const server = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(said.status).end(said.text));
});
let plans: RemotePlans;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  plans = new RemotePlans(`http://127.0.0.1:${port}`, 'token');
});
afterAll(() => server.close());

test.each(['{}', '5', 'null', '[]', '<html>', ''])(
  'a server that responds to a plan with %j is no user group service',
  async (text) => {
    said = { status: 200, text };
    await expect(plans.plan({}, '')).rejects.toThrow(/is no user group service\.$/);
  },
);

test.each([
  ['<html>', 'The service has refused the call (502 no problem).'],
  ['7', 'The service has refused the call (502 no problem).'],
  ['{"code":"late","detail":"Later."}', 'The service has refused the call (502 late). Later.'],
])('a refusal %s is told', async (text, message) => {
  said = { status: 502, text };
  await expect(plans.apply(1)).rejects.toThrow(message);
});
