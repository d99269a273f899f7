import { setTimeout as sleep } from 'node:timers/promises';
import { Callers } from '../lab/callers.mjs';

const PAUSE_MS = 5;

/** Callers that look up one group each, over and over. */
export class LookUps extends Callers {
  async run(caller) {
    const user_group_id = `looked up ${caller}`;
    await this.call('GET', { user_group_id, name: 'Looked up' });
    while (!this.isOver) {
      await this.call('GET', { user_group_id });
      await sleep(PAUSE_MS);
    }
  }
}
