import { Injectable } from '@nestjs/common';
import { hashIdempotencyKey, sha256 } from '../../../platform/common/secret/secrets.ts';
import { DAY_MS, currentTime } from '../../../platform/common/time.ts';
import { IdempotencyKeyReused } from '../../../platform/common/problem/errors.ts';
import { columnsOf, toBytesText } from '../../../platform/database/dialect.ts';
import { SharedReads } from '../../../platform/database/waves/shared-reads.ts';
import { statement } from '../../../platform/database/statement.ts';
import { Statements } from '../../../platform/database/statements.ts';
import { ExpirySweep, removeOldest } from '../../../platform/database/upkeep/expiry-sweep.ts';

/** A rotation to be done once, however often it is sent. Its response is made again from the stored token. */
export interface KeyedRotation {
  workspaceId: number;
  /** The owner of the key: equal keys of different API tokens are unrelated. */
  apiTokenId: number | null;
  key: string;
  /** The content of the call; using the key for any other content is a mistake of the caller. */
  request: readonly (string | number | null)[];
}

/** The result of a rotation with a key. */
export interface IssuedForKey {
  userGroupId: number;
  generation: number;
  /** The group's name in the response. */
  name: string;
}

const LIFE_MS = DAY_MS;

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

/** The members of a key that a statement remembers. */
export const KEY = { keyHash: 'bytes', requestHash: 'bytes' } as const;

const { columns, members } = columnsOf(KEY);

/**
 * Remembers the keys of `keys` for the groups of `free`, with the generation that each gets, and returns the ids of
 * those groups; a key that another call has used is left out.
 */
export const rememberKeys = `
  INSERT INTO idempotency_key (workspace_id, created_at, user_group_id, generation, name, ${columns})
  SELECT CAST(:workspaceId AS integer), CAST(:now AS bigint), f.id, f.generation,
    (SELECT g.name FROM user_group g WHERE g.id = f.id), ${members}
  FROM keys k JOIN free f ON f.n = k.n
  WHERE true ORDER BY "keyHash"
  ON CONFLICT (workspace_id, key_hash) DO UPDATE SET
    request_hash = excluded.request_hash, user_group_id = excluded.user_group_id,
    generation = excluded.generation, name = excluded.name, created_at = excluded.created_at
  WHERE idempotency_key.created_at <= CAST(:now AS bigint) - ${LIFE_MS}
  RETURNING user_group_id AS id`;

/** Another call with the same key has been done first. */
export class KeyTaken extends Error {}

/** Finds for 24 hours which rotation was done for an `Idempotency-Key`. */
@Injectable()
export class IdempotencyKeys {
  private readonly keys = new SharedReads<StoredKey>(async (workspaceId, hashes) => {
    const expired = currentTime() - LIFE_MS;
    const rows = await this.statements.read(findKeys, { workspaceId, hashes, expired });
    return new Map(rows.map(({ hash, ...stored }) => [hash, stored]));
  });

  constructor(private readonly statements: Statements) {}

  /**
   * Returns the earlier result of the call; undefined if it is new.
   * @throws IdempotencyKeyReused if the key was used for another call
   */
  async find(call: KeyedRotation): Promise<IssuedForKey | undefined> {
    const found = await this.keys.read(
      call.workspaceId,
      hashIdempotencyKey(call.apiTokenId, call.key).toString('hex'),
    );
    if (found && !found.requestHash.equals(hashOf(call.request))) throw new IdempotencyKeyReused();
    return found;
  }
}

/** Returns the key of a call as a statement remembers it. */
export function keyRecord(call: KeyedRotation): Record<keyof typeof KEY, string> {
  return {
    keyHash: toBytesText(hashIdempotencyKey(call.apiTokenId, call.key)),
    requestHash: toBytesText(hashOf(call.request)),
  };
}

function hashOf(request: KeyedRotation['request']): Buffer {
  return sha256(JSON.stringify(request));
}

@Injectable()
export class IdempotencyKeyExpiry extends ExpirySweep {
  protected readonly removeExpired = removeOldest(
    'idempotency_key',
    'created_at',
    'workspace_id',
    'key_hash',
  );
  protected override readonly retentionMs = LIFE_MS;
}
