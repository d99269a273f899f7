import { Injectable } from '@nestjs/common';
import { setImmediate } from 'node:timers/promises';
import { handled } from './handled.ts';

/** Work that is done in one turn of the event loop. */
const TURN_MS = 5;
/** What a piece writes goes out at the end of the turn, and takes its time then. */
const PIECES_OF_A_TURN = 16;

/** Paces work that many ask for at once: between two pieces others are served, however many pieces there are. */
@Injectable()
export class Pace {
  private last: Promise<void> = Promise.resolve();
  private beganAt = -Infinity;
  private pieces = 0;

  /** Resolves when the caller may do its next piece, synchronously; one after the other. Never rejects. */
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
