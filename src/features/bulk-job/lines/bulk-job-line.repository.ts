import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { SealedText } from '../../../core/encryption-key/sealed-text.ts';
import { statement } from '../../../platform/database/statement.ts';
import { Statements } from '../../../platform/database/statements.ts';
import { Transactor } from '../../../platform/database/transactor.ts';
import { BulkJobLineCipher, type LinesOwner, type WaitingLine } from './bulk-job-line-cipher.ts';

const insertPart = statement<LinesOwner & SealedText>(
  'bulk-job-line.insert',
  () => `
    INSERT INTO bulk_job_line (job_id, part, ciphertext, key_id)
    VALUES (:jobId, :part, :ciphertext, :keyId) ON CONFLICT (job_id, part) DO NOTHING`,
);

const findNext = statement<{ jobId: number; after: number }, SealedText & { part: number }>(
  'bulk-job-line.find-next',
  () => `
    SELECT part, ciphertext, key_id AS "keyId" FROM bulk_job_line
    WHERE job_id = :jobId AND part > :after ORDER BY part LIMIT 1`,
);

const removeDone = statement<{ jobId: number; upTo: number }>(
  'bulk-job-line.remove-done',
  () => 'DELETE FROM bulk_job_line WHERE job_id = :jobId AND part <= :upTo',
);

/** Parts that a statement removes: a few MiB, so that nobody waits long for the database. */
export const REMOVED_AT_ONCE = 20;

const removeSome = statement<{ jobId: number }, { id: number }>(
  'bulk-job-line.remove-some',
  ({ isAmong }) => `
    DELETE FROM bulk_job_line WHERE ${isAmong(
      'id',
      `SELECT l.id FROM bulk_job_line l WHERE l.job_id = :jobId ORDER BY l.part LIMIT ${REMOVED_AT_ONCE}`,
    )}
    RETURNING id`,
);

/** Keeps the lines of imports until they have their results. */
@Injectable()
export class BulkJobLineRepository {
  private readonly logger = new Logger(BulkJobLineRepository.name);

  constructor(
    private readonly statements: Statements,
    private readonly transactor: Transactor,
    private readonly cipher: BulkJobLineCipher,
  ) {}

  /** Stores a part, unless it is stored already. */
  async insert(
    manager: EntityManager,
    owner: LinesOwner,
    lines: readonly WaitingLine[],
  ): Promise<void> {
    const sealed = this.cipher.encrypt(lines, owner);
    await this.statements.run(manager, insertPart, { ...owner, ...sealed });
  }

  /** Finds the part after another, from 0; undefined if there is none. @throws BulkJobLinesUnreadable */
  async next(
    jobId: number,
    after: number,
  ): Promise<{ part: number; lines: WaitingLine[] } | undefined> {
    const [row] = await this.statements.read(findNext, { jobId, after });
    if (!row) return undefined;
    const { part } = row;
    return { part, lines: this.cipher.decrypt(row, { jobId, part }) };
  }

  /** Removes the parts of a job that have their results. @param upTo the last of them */
  async removeDone(manager: EntityManager, jobId: number, upTo: number): Promise<void> {
    await this.statements.run(manager, removeDone, { jobId, upTo });
  }

  /** Removes the first parts of a job in the transaction that ends it: most jobs have no others. */
  async removeSome(manager: EntityManager, jobId: number): Promise<void> {
    await this.statements.run(manager, removeSome, { jobId });
  }

  /** Removes the parts of a job that has ended, some at a time; the sweep removes those that are left if this fails. */
  async removeRest(jobId: number): Promise<void> {
    try {
      let removed = REMOVED_AT_ONCE;
      while (removed === REMOVED_AT_ONCE) {
        removed = (await this.transactor.apply(removeSome, { jobId })).length;
      }
    } catch (err) {
      this.logger.warn({ msg: 'lines of a job could not be removed', job: jobId, err });
    }
  }
}
