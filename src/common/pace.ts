import { Injectable } from '@nestjs/common';
import { setImmediate } from 'node:timers/promises';
import { handled } from './handled.ts';

/** Work that is done in one turn of the event loop. */
const TURN_MS = 5;

/** Paces work that many ask for at once: between two pieces others are served, however many pieces there are. */
@Injectable()
export class Pace {
  private last: Promise<void> = Promise.resolve();
  private beganAt = -Infinity;

  /** Resolves when the caller may do its next piece, synchronously; one after the other. Never rejects. */
  next(): Promise<void> {
    this.last = handled(this.last.then(() => this.yieldOnceInATurn()));
    return this.last;
  }

  private async yieldOnceInATurn(): Promise<void> {
    if (performance.now() - this.beganAt < TURN_MS) return;
    await setImmediate();
    this.beganAt = performance.now();
  }
}
