import { Injectable } from '@nestjs/common';
import { setImmediate } from 'node:timers/promises';
import { handled } from './handled.ts';

/** Duration of the work in one turn of the event loop. */
const TURN_MS = 5;
/** Output of a piece is sent at the end of the turn, and takes its time then. */
const PIECES_OF_A_TURN = 16;

/** Paces work that many request at once: others are served between two pieces, however many pieces wait. */
@Injectable()
export class Pace {
  private last: Promise<void> = Promise.resolve();
  private beganAt = -Infinity;
  private pieces = 0;

  /** Resolves when the caller may run its next piece, synchronously; callers take turns. Never rejects. */
  next(): Promise<void> {
    this.last = handled(this.last.then(() => this.yieldOnceInATurn()));
    return this.last;
  }

  private async yieldOnceInATurn(): Promise<void> {
    const isBrief = performance.now() - this.beganAt < TURN_MS;
    if (isBrief && this.pieces++ < PIECES_OF_A_TURN) return;
    await setImmediate();
    this.beganAt = performance.now();
    this.pieces = 1;
  }
}
