import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { IdempotencyKeyReused } from '../../common/errors.ts';
import { toBytesText } from '../../database/dialect.ts';
import { SharedReads } from '../../database/shared-reads.ts';
import { statement } from '../../database/statement.ts';
import { Statements } from '../../database/statements.ts';

/** A call that is to be done once, however often it is sent. */
export interface IdempotentCall {
  workspaceId: number;
  /** Whose key it is: another token's key of the same text is another. */
  apiTokenId: number | null;
  /** The `Idempotency-Key`. */
  key: string;
  /** What the call asks for; the same key for anything else is a mistake of the caller. */
  request: readonly (string | number | null)[];
}

/** What a rotation for a key has issued. */
export interface IssuedForKey {
  userGroupId: number;
  generation: number;
  /** The group's name as it was answered. */
  name: string;
}

/** For how long a key is remembered. */
export const LIFE_MS = 86_400_000;

type StoredKey = IssuedForKey & { requestHash: Buffer };

const findKeys = statement<
  { workspaceId: number; hashes: readonly string[]; expired: number },
  StoredKey & { hash: string }
>('idempotency-key.find-these', (dialect) =>
  dialect.forEachKey(
    ':hashes',
    (key) => `
      SELECT ${dialect.toHex('key_hash')} AS hash, request_hash AS "requestHash",
        user_group_id AS "userGroupId", generation, name
      FROM idempotency_key
      WHERE workspace_id = :workspaceId AND ${key.is('key_hash', dialect.fromHex)}
        AND created_at > :expired`,
  ),
);

const KEY = {
  key_hash: 'bytes',
  request_hash: 'bytes',
  user_group_id: 'integer',
  generation: 'integer',
  name: 'text',
} as const;

const insertKeys = statement<
  { workspaceId: number; keys: readonly object[]; now: number; expired: number },
  { generation: number }
>('idempotency-key.insert', ({ recordsOf, lockingOrder }) => {
  const columns = Object.keys(KEY).join(', ');
  return `
    INSERT INTO idempotency_key (workspace_id, created_at, ${columns})
    SELECT CAST(:workspaceId AS integer), CAST(:now AS bigint), ${columns}
    FROM ${recordsOf(':keys', KEY)}
    WHERE true ${lockingOrder('key_hash')}
    ON CONFLICT (workspace_id, key_hash) DO UPDATE SET
      request_hash = excluded.request_hash, user_group_id = excluded.user_group_id,
      generation = excluded.generation, name = excluded.name, created_at = excluded.created_at
    WHERE idempotency_key.created_at <= :expired
    RETURNING generation`;
});

/** Another call with the same key has committed first. */
export class KeyTaken extends Error {}

/** Remembers for 24 hours which rotation was done for an `Idempotency-Key`. */
@Injectable()
export class IdempotencyKeys {
  private readonly keys = new SharedReads<StoredKey>(async (workspaceId, hashes) => {
    const expired = Date.now() - LIFE_MS;
    const rows = await this.statements.read(findKeys, { workspaceId, hashes, expired });
    return new Map(rows.map(({ hash, ...stored }) => [hash, stored]));
  });

  constructor(private readonly statements: Statements) {}

  /**
   * What the call has issued already; undefined if it is new.
   * @throws IdempotencyKeyReused if the key was used for another call
   */
  async find(call: IdempotentCall): Promise<IssuedForKey | undefined> {
    const found = await this.keys.read(call.workspaceId, keyHashOf(call).toString('hex'));
    if (found && !found.requestHash.equals(hashOf(call.request))) throw new IdempotencyKeyReused();
    return found;
  }

  /**
   * Remembers what calls of one workspace have issued.
   * @throws KeyTaken if a key of theirs is taken, by one another too; then none may be committed
   */
  async rememberAll(
    manager: EntityManager,
    calls: readonly { call: IdempotentCall; issued: IssuedForKey }[],
    now: number,
  ): Promise<void> {
    const [first] = calls;
    if (!first) return;
    const keys = calls.map(({ call, issued }) => ({
      key_hash: toBytesText(keyHashOf(call)),
      request_hash: toBytesText(hashOf(call.request)),
      user_group_id: issued.userGroupId,
      generation: issued.generation,
      name: issued.name,
    }));
    if (new Set(keys.map(({ key_hash }) => key_hash)).size < keys.length) throw new KeyTaken();
    const rows = await this.statements.run(manager, insertKeys, {
      workspaceId: first.call.workspaceId,
      keys,
      now,
      expired: now - LIFE_MS,
    });
    if (rows.length < keys.length) throw new KeyTaken();
  }
}

function keyHashOf({ apiTokenId, key }: IdempotentCall): Buffer {
  return sha256(`${apiTokenId} ${key}`);
}

function hashOf(request: IdempotentCall['request']): Buffer {
  return sha256(JSON.stringify(request));
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}
