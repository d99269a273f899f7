import { Injectable } from '@nestjs/common';
import { BulkJobLinesUnreadable } from '../bulk-job/bulk-job.errors.ts';
import {
  BulkJobLineCipher,
  KeyMissing,
  type LinesOwner,
} from '../bulk-job/lines/bulk-job-line-cipher.ts';
import { TargetSecretUnreadable } from '../target/target.errors.ts';
import { KeyRing } from '../../core/encryption-key/key-ring.ts';
import type { SealedText } from '../../core/encryption-key/sealed-text.ts';
import { statement } from '../../platform/database/statement.ts';
import { Statements } from '../../platform/database/statements.ts';
import { Transactor } from '../../platform/database/transactor.ts';
import { type TargetOwner, TargetSecretCipher } from '../target/signing/target-secret-cipher.ts';
import {
  type SecretsOwner,
  WebhookSecretCipher,
} from '../webhook/endpoint/webhook-secret-cipher.ts';
import { WebhookSecretUnreadable } from '../webhook/endpoint/webhook.errors.ts';
import type { Rewrapped } from './token-rewrapper.ts';

/** Secrets of one transaction, and parts of imports, which are a thousand times as long. */
const BATCH = { secrets: 100, parts: 4 };

interface Batch {
  after: number;
  currentKey: string;
  limit: number;
}

type SealedRow<Owner> = Owner & SealedText & { id: number };

/** Returns the statements that lock the next secrets of other keys in a table, and that replace one of them. */
const ofTable = <Owner>(name: string, table: string, columns: string, batch = BATCH.secrets) => ({
  batch,
  lock: statement<Batch, SealedRow<Owner>>(
    `${name}.lock-for-rewrap`,
    ({ lockRows }) => `
      SELECT s.id, ${columns}, s.ciphertext, s.key_id AS "keyId"
      FROM ${table} s
      WHERE s.id > :after AND s.key_id <> :currentKey
        AND s.key_id NOT IN (SELECT id FROM encryption_key WHERE forgotten_at IS NOT NULL)
      ORDER BY s.id LIMIT :limit ${lockRows('s')}`,
  ),
  replace: statement<{ id: number } & SealedText>(
    `${name}.rewrap`,
    () => `UPDATE ${table} SET ciphertext = :ciphertext, key_id = :keyId WHERE id = :id`,
  ),
});

const endpoints = ofTable<SecretsOwner>(
  'webhook-endpoint',
  'webhook_endpoint',
  's.workspace_id AS "workspaceId"',
);
const targets = ofTable<TargetOwner>('target', 'target', 's.workspace_id AS "workspaceId", s.name');

const lines = ofTable<LinesOwner>(
  'bulk-job-line',
  'bulk_job_line',
  's.job_id AS "jobId", s.part',
  BATCH.parts,
);

/** Re-encrypts the secrets of webhook endpoints and targets, and lines that wait, of other keys with the current key. */
@Injectable()
export class SecretRewrapper {
  constructor(
    private readonly ring: KeyRing,
    private readonly ofEndpoints: WebhookSecretCipher,
    private readonly ofTargets: TargetSecretCipher,
    private readonly ofLines: BulkJobLineCipher,
    private readonly statements: Statements,
    private readonly transactor: Transactor,
  ) {}

  /** @throws DatabaseUnavailable */
  rewrapEndpoints(): Promise<Rewrapped> {
    const cipher = this.ofEndpoints;
    return this.rewrap(endpoints, (row) => cipher.encrypt(cipher.decrypt(row, row), row));
  }

  /** @throws DatabaseUnavailable */
  rewrapTargets(): Promise<Rewrapped> {
    const cipher = this.ofTargets;
    return this.rewrap(targets, (row) => cipher.encrypt(cipher.decrypt(row, row), row));
  }

  /** @throws DatabaseUnavailable */
  rewrapImports(): Promise<Rewrapped> {
    const cipher = this.ofLines;
    return this.rewrap(lines, (row) => cipher.encrypt(cipher.decrypt(row, row), row));
  }

  /** Re-encrypts batch by batch, so that an interrupted run is simply repeated. Secrets of lost keys are left alone. */
  private async rewrap<Owner>(
    { batch, lock, replace }: ReturnType<typeof ofTable<Owner>>,
    reseal: (row: SealedRow<Owner>) => SealedText,
  ): Promise<Rewrapped> {
    const total: Rewrapped = { rewrapped: 0, unreadable: 0 };
    const currentKey = this.ring.current.id;
    for (let after = 0, found = batch; found === batch;) {
      await this.transactor.run(async (manager) => {
        const rows = await this.statements.run(manager, lock, { after, currentKey, limit: batch });
        for (const row of rows) {
          const sealed = readable(() => reseal(row));
          if (sealed) await this.statements.run(manager, replace, { id: row.id, ...sealed });
          total[sealed ? 'rewrapped' : 'unreadable']++;
        }
        found = rows.length;
        after = rows.at(-1)?.id ?? after;
      });
    }
    return total;
  }
}

const UNREADABLE = [
  WebhookSecretUnreadable,
  TargetSecretUnreadable,
  BulkJobLinesUnreadable,
  KeyMissing,
];

/** Returns undefined for secrets that cannot be decrypted. */
function readable(reseal: () => SealedText): SealedText | undefined {
  try {
    return reseal();
  } catch (error) {
    if (UNREADABLE.some((kind) => error instanceof kind)) return undefined;
    throw error;
  }
}
