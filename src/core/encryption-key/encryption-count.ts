import { Injectable, Logger } from '@nestjs/common';
import { currentTime } from '../../platform/common/time.ts';
import { onFlush, type OnFlush } from '../../platform/database/upkeep/shutdown-phases.ts';
import { WriteBehind } from '../../platform/database/upkeep/write-behind.ts';
import { EncryptionKeyRepository } from './encryption-key.repository.ts';
import { KeyRing } from './key-ring.ts';

/** No more than 2^32 random nonces of 96 bits may be used with one key (NIST SP 800-38D, 8.3). */
const MAX_ENCRYPTIONS = 2 ** 32;
const WRITE_EVERY = 10_000;
const WRITE_AFTER_MS = 30_000;
const WARN_EVERY_MS = 24 * 3600 * 1000;

/**
 * Counts the encryptions with each key, over all processes and restarts, off the critical path. A process that is
 * killed misses at most 10,000 encryptions, or those of 30 seconds.
 */
@Injectable()
export class EncryptionCount implements OnFlush {
  private readonly logger = new Logger(EncryptionCount.name);
  private notWritten = 0;
  private total = 0;
  private timer: NodeJS.Timeout | undefined;
  private readonly writing = new WriteBehind(() => this.write());
  private warnedAt = -Infinity;

  constructor(
    private readonly ring: KeyRing,
    private readonly keys: EncryptionKeyRepository,
  ) {
    ring.onEncrypt = this.add;
  }

  /** Known encryptions with the first key, by its id. */
  get known(): Record<string, number> {
    return { [this.ring.current.id]: this.total + this.notWritten };
  }

  private readonly add = (): void => {
    this.notWritten++;
    this.timer ??= setTimeout(this.flush, WRITE_AFTER_MS).unref();
    if (this.notWritten % WRITE_EVERY === 0) this.flush();
  };

  /**
   * Reads the counts of other processes.
   * @throws DatabaseUnavailable
   */
  async read(): Promise<void> {
    const { id } = this.ring.current;
    const recorded = (await this.keys.list()).find((key) => key.id === id);
    this.see(recorded?.encryptions ?? 0);
  }

  async [onFlush](): Promise<void> {
    await this.writing.last();
    clearTimeout(this.timer);
  }

  private readonly flush = (): void => {
    void this.writing.now();
  };

  private async write(): Promise<boolean> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const count = this.notWritten;
    if (count === 0) return true;
    try {
      const total = await this.keys.addEncryptions(this.ring.current.id, count);
      this.notWritten -= count;
      this.see(total);
      return true;
    } catch (err) {
      this.logger.warn({ msg: 'encryptions not counted yet', err });
      this.timer ??= setTimeout(this.flush, WRITE_AFTER_MS).unref();
      return false;
    }
  }

  private see(total: number): void {
    this.total = total;
    if (total < MAX_ENCRYPTIONS / 2 || currentTime() - this.warnedAt < WARN_EVERY_MS) return;
    this.warnedAt = currentTime();
    this.logger.warn({
      msg: 'the encryption key has been used often: replace it before 4294967296 encryptions',
      key: this.ring.current.id,
      encryptions: total,
    });
  }
}
