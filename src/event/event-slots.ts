import { Injectable } from '@nestjs/common';
import type { Caller } from '../common/caller';
import { TooManyAtOnce } from '../common/errors';

const OF_A_TOKEN = 50;
const OF_THE_PROCESS = 1000;

/** Bounds how many streams and waiting calls there are at once: each keeps a connection. */
@Injectable()
export class EventSlots {
  private readonly taken = new Map<number | null, number>();
  private total = 0;

  /** @returns gives the slot back @throws TooManyAtOnce */
  take({ apiTokenId }: Caller): () => void {
    const ofToken = this.taken.get(apiTokenId) ?? 0;
    const what = 'streams and waiting calls of the';
    if (ofToken >= OF_A_TOKEN) throw new TooManyAtOnce(OF_A_TOKEN, `${what} API token`);
    if (this.total >= OF_THE_PROCESS) throw new TooManyAtOnce(OF_THE_PROCESS, `${what} process`);
    this.taken.set(apiTokenId, ofToken + 1);
    this.total++;
    return () => {
      this.total--;
      const left = this.taken.get(apiTokenId)! - 1;
      if (left === 0) this.taken.delete(apiTokenId);
      else this.taken.set(apiTokenId, left);
    };
  }
}
