import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { SealedText } from '../../../core/encryption-key/sealed-text.ts';
import { statement } from '../../../platform/database/statement.ts';
import { Statements } from '../../../platform/database/statements.ts';
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

const removeParts = statement<{ jobId: number; upTo: number | null }>(
  'bulk-job-line.remove',
  () => `
    DELETE FROM bulk_job_line
    WHERE job_id = :jobId AND (CAST(:upTo AS integer) IS NULL OR part <= CAST(:upTo AS integer))`,
);

/** Keeps the lines of imports until they have their results. */
@Injectable()
export class BulkJobLineRepository {
  constructor(
    private readonly statements: Statements,
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

  /** Removes the parts of a job. @param upTo the last of them; without it all */
  async remove(manager: EntityManager, jobId: number, upTo?: number): Promise<void> {
    await this.statements.run(manager, removeParts, { jobId, upTo: upTo ?? null });
  }
}
