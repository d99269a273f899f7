import { setTimeout as sleep } from 'node:timers/promises';
import type { Template } from '../config.ts';
import { type Kit, NotJudged } from '../kit.ts';

const LIVES_SECONDS = [3, 10, 30];

/**
 * Runs a check of what a token does in its life and after it. If the calls take longer than the life, as on a busy
 * machine, it tries a longer one.
 * @param run returns false if the life was over before the renderer had responded
 * @throws NotJudged if the longest life is too short; errors of `run`
 */
export async function forAWhile(run: (seconds: number) => Promise<boolean>): Promise<void> {
  for (const seconds of LIVES_SECONDS) if (await run(seconds)) return;
  throw new NotJudged(`a call took longer than ${LIVES_SECONDS.at(-1)} s`);
}

/**
 * Looks at a token before its end and after it.
 * @param endsAt in milliseconds since 1970
 * @param names of the two looks, for the report
 * @returns false if the end came before the renderer had responded
 */
export async function expires(
  kit: Kit,
  { token, endsAt }: { token: string; endsAt: number },
  names: readonly [before: string, after: string],
  template?: Template,
): Promise<boolean> {
  try {
    await kit.control(token, 0, names[0], template);
  } catch (error) {
    if (error instanceof NotJudged && Date.now() > endsAt) return false;
    throw error;
  }
  await sleep(Math.max(0, endsAt - Date.now()));
  await kit.refusesSince(performance.now(), token, names[1], template);
  return true;
}
