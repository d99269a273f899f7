import type { CallHandler, ExecutionContext } from '@nestjs/common';
import { NEVER, of, timeout } from 'rxjs';
import { Gate } from '../../src/platform/common/concurrency/gate.ts';
import { GateInterceptor } from '../../src/platform/common/access/gate.interceptor.ts';

const request = {
  complete: true,
  headers: {},
  socket: { remoteAddress: '127.0.0.1' },
  app: { get: () => () => false },
};
const context = {
  getArgByIndex: () => request,
  getHandler: () => () => undefined,
} as unknown as ExecutionContext;
const KEY = '127.0.0.1';

test('a turn that comes after an outer interceptor has given up is passed on', async () => {
  const gate = new Gate();
  const leaves = [await gate.enter(KEY), await gate.enter(KEY)];
  const interceptor = new GateInterceptor(gate);
  const handle = jest.fn(() => of('handled'));
  const gaveUp = new Promise((resolve) => {
    interceptor.intercept(context, { handle }).pipe(timeout(20)).subscribe({ error: resolve });
  });
  expect(await gaveUp).toMatchObject({ name: 'TimeoutError' });
  for (const leave of leaves) leave();
  for (const leave of [await gate.enter(KEY), await gate.enter(KEY)]) leave();
  expect(handle).not.toHaveBeenCalled();
});

test('a turn lasts as long as the handler, also if an outer interceptor gives up', async () => {
  const gate = new Gate();
  const interceptor = new GateInterceptor(gate);
  const endless: CallHandler = { handle: () => NEVER };
  for (let turn = 0; turn < 2; turn++) {
    const gaveUp = new Promise((resolve) => {
      interceptor.intercept(context, endless).pipe(timeout(20)).subscribe({ error: resolve });
    });
    await gaveUp;
  }
  await expect(gate.enter(KEY)).rejects.toThrow();
});
