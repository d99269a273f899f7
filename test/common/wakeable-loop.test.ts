import { WakeableLoop } from '../../src/platform/common/concurrency/wakeable-loop.ts';
import { until } from '../support/time/until.ts';

test('a loop goes on although the handler of its failures fails', async () => {
  let looks = 0;
  const loop = new WakeableLoop(
    () => {
      looks++;
      return Promise.reject(new Error('no database'));
    },
    () => {
      throw new Error('no log');
    },
  );
  loop.wake(0);
  await until(() => looks > 1);
  await loop.stop();
});
