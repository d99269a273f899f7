import { toWireTime } from '../common/time.ts';

/** The most addresses listed, so that a caller cannot make an event large. */
const MAX_ADDRESSES = 8;

/** How often something happened, in which ways, from which addresses, and from when to when. */
export class Tally {
  private count = 0;
  private firstAt = Date.now();
  private lastAt = this.firstAt;
  private readonly by: Record<string, number> = {};
  private readonly addresses: Record<string, number> = {};
  private others = 0;

  add(way: string, address: string, count: number): void {
    this.count += count;
    this.lastAt = Date.now();
    this.by[way] = (this.by[way] ?? 0) + count;
    this.addAddress(address, count);
  }

  /** Adds the counts of another tally. */
  absorb({ count, firstAt, lastAt, by, addresses, others }: Tally): void {
    this.count += count;
    this.firstAt = Math.min(this.firstAt, firstAt);
    this.lastAt = Math.max(this.lastAt, lastAt);
    for (const [way, times] of Object.entries(by)) this.by[way] = (this.by[way] ?? 0) + times;
    for (const [address, times] of Object.entries(addresses)) this.addAddress(address, times);
    this.others += others;
  }

  /** The details of its event. */
  toDetails(): object {
    return {
      count: this.count,
      first_at: toWireTime(this.firstAt),
      last_at: toWireTime(this.lastAt),
      by: this.by,
      addresses: this.addresses,
      ...(this.others > 0 && { other_addresses: this.others }),
    };
  }

  private addAddress(address: string, count: number): void {
    const known = this.addresses[address];
    if (known === undefined && Object.keys(this.addresses).length === MAX_ADDRESSES) {
      this.others += count;
    } else {
      this.addresses[address] = (known ?? 0) + count;
    }
  }
}
