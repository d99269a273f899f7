import { currentTime, toWireTime } from '../../../platform/common/time.ts';

/** Maximum of listed addresses, so that a caller cannot make an event large. */
const MAX_ADDRESSES = 8;

/** A count by channel and address, with the times of the first and the last occurrence. */
export class Tally {
  private count = 0;
  private firstAt = currentTime();
  private lastAt = this.firstAt;
  private readonly by: Record<string, number> = {};
  private readonly addresses: Record<string, number> = {};
  private others = 0;

  add(channel: string, address: string, count: number): void {
    this.count += count;
    this.lastAt = currentTime();
    this.by[channel] = (this.by[channel] ?? 0) + count;
    this.addAddress(address, count);
  }

  absorb({ count, firstAt, lastAt, by, addresses, others }: Tally): void {
    this.count += count;
    this.firstAt = Math.min(this.firstAt, firstAt);
    this.lastAt = Math.max(this.lastAt, lastAt);
    for (const [channel, times] of Object.entries(by)) {
      this.by[channel] = (this.by[channel] ?? 0) + times;
    }
    for (const [address, times] of Object.entries(addresses)) this.addAddress(address, times);
    this.others += others;
  }

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
