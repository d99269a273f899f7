import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { canonicalJson } from '../../platform/common/json/canonical-json.ts';
import { IdempotencyKeyReused } from '../../platform/common/problem/errors.ts';
import { hashIdempotencyKey, sha256 } from '../../platform/common/secret/secrets.ts';
import { DAY_MS, currentTime } from '../../platform/common/time.ts';
import { columnsOf, toBytesText } from '../../platform/database/dialect.ts';
import { statement } from '../../platform/database/statement.ts';
import { Statements } from '../../platform/database/statements.ts';
import { ExpirySweep, removeOldest } from '../../platform/database/upkeep/expiry-sweep.ts';
import { SharedReads } from '../../platform/database/waves/shared-reads.ts';
import type { SealedText } from '../encryption-key/sealed-text.ts';

/** A call to be done once, however often it is sent. */
export interface KeyedCall {
  workspaceId: number;
  /** The owner of the key: equal keys of different API tokens are unrelated. */
  apiTokenId: number | null;
  key: string;
  /** The content of the call; using the key for any other content is a mistake of the caller. */
  request: readonly unknown[];
}

/** The result of a rotation with a key: its response is made again from the stored token. */
export interface IssuedForKey {
  userGroupId: number;
  generation: number;
  /** The group's name in the response. */
  name: string;
}

/** The stored result of a call: an encrypted response, or that of a rotation. */
type StoredCall = SealedText & IssuedForKey & { requestHash: Buffer };

const LIFE_MS = DAY_MS;

const findKeys = statement<
  { workspaceId: number; hashes: readonly string[]; expired: number },
  StoredCall & { hash: string }
>('idempotency-key.find', (dialect) =>
  dialect.forEachKey(
    ':hashes',
    (key) => `
      SELECT ${dialect.toHex('key_hash')} AS hash, request_hash AS "requestHash", key_id AS "keyId", ciphertext,
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
 * Takes keys that are new or have expired, at `:now`. A call with the same key in another transaction waits for the end
 * of this one.
 * @param values selects the workspace, the time and those of the columns
 */
export const takeKeys = (columns: string, values: string) => `
  INSERT INTO idempotency_key (workspace_id, created_at, ${columns}) ${values}
  ON CONFLICT (workspace_id, key_hash) DO UPDATE SET
    request_hash = excluded.request_hash, created_at = excluded.created_at, api_token_id = excluded.api_token_id,
    key_id = excluded.key_id, ciphertext = excluded.ciphertext, user_group_id = excluded.user_group_id,
    generation = excluded.generation, name = excluded.name
  WHERE idempotency_key.created_at <= CAST(:now AS bigint) - ${LIFE_MS}`;

/**
 * Remembers the keys of `keys` for the groups of `free`, with the generation that each gets, and returns the ids of
 * those groups; a key that another call has used is left out.
 */
export const rememberKeys = `${takeKeys(
  `user_group_id, generation, name, ${columns}`,
  `SELECT CAST(:workspaceId AS integer), CAST(:now AS bigint), f.id, f.generation, f.name, ${members}
  FROM keys k JOIN free f ON f.n = k.n
  WHERE true ORDER BY "keyHash"`,
)}
  RETURNING user_group_id AS id`;

/** Another call with the same key has been done first. */
export class KeyTaken extends Error {}

/** Finds for 24 hours what was done for an `Idempotency-Key`. */
@Injectable()
export class IdempotencyKeys {
  private readonly keys = new SharedReads<StoredCall>((workspaceId, hashes) =>
    this.read(workspaceId, hashes),
  );

  constructor(private readonly statements: Statements) {}

  /**
   * Returns the earlier result of the call; undefined if it is new.
   * @param manager of the transaction to read in, if there is one
   * @throws IdempotencyKeyReused if the key was used for another call
   */
  async find(call: KeyedCall, manager?: EntityManager): Promise<StoredCall | undefined> {
    const { workspaceId } = call;
    const { keyHash, requestHash } = hashesOf(call);
    const hash = keyHash.toString('hex');
    const found = manager
      ? (await this.read(workspaceId, [hash], manager)).get(hash)
      : await this.keys.read(workspaceId, hash);
    if (found && !found.requestHash.equals(requestHash)) throw new IdempotencyKeyReused();
    return found;
  }

  private async read(
    workspaceId: number,
    hashes: readonly string[],
    manager?: EntityManager,
  ): Promise<Map<string, StoredCall>> {
    const expired = currentTime() - LIFE_MS;
    const rows = await this.statements.read(findKeys, { workspaceId, hashes, expired }, manager);
    return new Map(rows.map(({ hash, ...stored }) => [hash, stored]));
  }
}

/** Returns the SHA-256 of the key, with its owner, and of the request, in which the order of members makes no difference. */
export function hashesOf({
  apiTokenId,
  key,
  request,
}: KeyedCall): Record<keyof typeof KEY, Buffer> {
  return {
    keyHash: hashIdempotencyKey(apiTokenId, key),
    requestHash: sha256(canonicalJson(request)),
  };
}

/** Returns the key of a call as a statement remembers it. */
export function keyRecord(call: KeyedCall): Record<keyof typeof KEY, string> {
  const { keyHash, requestHash } = hashesOf(call);
  return { keyHash: toBytesText(keyHash), requestHash: toBytesText(requestHash) };
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
