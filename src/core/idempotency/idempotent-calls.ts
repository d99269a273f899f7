import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../../platform/common/access/caller.ts';
import { IdempotencyKeyReused, IdempotencyKeySpent } from '../../platform/common/problem/errors.ts';
import { canonicalJson } from '../../platform/common/json/canonical-json.ts';
import { hashIdempotencyKey, sha256 } from '../../platform/common/secret/secrets.ts';
import { currentTime, DAY_MS } from '../../platform/common/time.ts';
import { statement } from '../../platform/database/statement.ts';
import { Statements } from '../../platform/database/statements.ts';
import { Transactor } from '../../platform/database/transactor.ts';
import { ExpirySweep, removeOldest } from '../../platform/database/upkeep/expiry-sweep.ts';
import {
  IdempotentResponseCipher,
  type ResponseOwner,
  SPENT,
} from '../encryption-key/idempotent-response-cipher.ts';
import type { SealedText } from '../encryption-key/sealed-text.ts';

const LIFE_MS = DAY_MS;
/** Responses kept for an API token at a time, so that no token uses up the keys of another. */
const MAX_RESPONSES = 1000;

/** The response of a call that is under way; no other transaction sees it. */
const UNFILLED: SealedText = { keyId: '', ciphertext: Buffer.alloc(0) };

/** A call to be done once, however often it is sent. */
export interface IdempotentCall<T = object> {
  /** The `Idempotency-Key`; undefined for a call without one, which is done each time. */
  key: string | undefined;
  /**
   * The content of the call: its operation, its parameters and its body, with the defaults of fields that were not sent.
   * The order of members makes no difference.
   */
  request: readonly unknown[];
  /** Runs in the transaction of a repetition, before it gets the response of the first call. */
  onReplay?: (manager: EntityManager, response: T) => Promise<void>;
}

type StoredResponse = SealedText & { requestHash: Buffer };

const findResponse = statement<ResponseOwner & { expired: number }, StoredResponse>(
  'idempotent-response.find',
  () => `
    SELECT request_hash AS "requestHash", key_id AS "keyId", ciphertext FROM idempotent_response
    WHERE workspace_id = :workspaceId AND key_hash = :keyHash AND created_at > CAST(:expired AS bigint)`,
);

const OF_TOKEN = 'workspace_id = :workspaceId AND api_token_id = :apiTokenId';

const removeSurplus = statement<{ workspaceId: number; apiTokenId: number }>(
  'idempotent-response.remove-surplus',
  () => `
    DELETE FROM idempotent_response WHERE ${OF_TOKEN} AND created_at < (
      SELECT created_at FROM idempotent_response WHERE ${OF_TOKEN}
      ORDER BY created_at DESC LIMIT 1 OFFSET ${MAX_RESPONSES - 1})`,
);

/** Takes a key that is new or has expired. A call with the same key in another transaction waits for the end of this one. */
const storeResponse = statement<
  ResponseOwner & StoredResponse & { apiTokenId: number | null; now: number; expired: number },
  { createdAt: number }
>(
  'idempotent-response.store',
  () => `
    INSERT INTO idempotent_response (workspace_id, key_hash, api_token_id, request_hash, key_id, ciphertext, created_at)
    VALUES (:workspaceId, :keyHash, CAST(:apiTokenId AS integer), :requestHash, :keyId, :ciphertext, CAST(:now AS bigint))
    ON CONFLICT (workspace_id, key_hash) DO UPDATE SET
      request_hash = excluded.request_hash, key_id = excluded.key_id, ciphertext = excluded.ciphertext,
      created_at = excluded.created_at
    WHERE idempotent_response.created_at <= CAST(:expired AS bigint)
    RETURNING created_at AS "createdAt"`,
);

const fillResponse = statement<ResponseOwner & SealedText, object>(
  'idempotent-response.fill',
  () => `
    UPDATE idempotent_response SET key_id = :keyId, ciphertext = :ciphertext
    WHERE workspace_id = :workspaceId AND key_hash = :keyHash`,
);

/**
 * Does a call with an `Idempotency-Key` once: for 24 hours the same call of the same API token gets the same response,
 * if it is among the last 1,000 of the token.
 * The response is stored in the transaction of the call, so neither is there without the other.
 */
@Injectable()
export class IdempotentCalls {
  /** @internal */
  constructor(
    private readonly transactor: Transactor,
    private readonly statements: Statements,
    private readonly cipher: IdempotentResponseCipher,
  ) {}

  /**
   * Does the work in a transaction, or returns the response of the earlier call.
   * @throws IdempotencyKeyReused, IdempotencyKeySpent; errors of `work`, which leave the key unused
   */
  run<T extends object>(
    caller: Caller,
    call: IdempotentCall<T>,
    work: (manager: EntityManager) => Promise<T>,
  ): Promise<T> {
    return this.transactor.run((manager) =>
      this.within(manager, caller, call, () => work(manager)),
    );
  }

  /** Does the same as `run`, in a transaction of the caller. @throws as `run` */
  async within<T extends object>(
    manager: EntityManager,
    { workspaceId, apiTokenId }: Caller,
    { key, request, onReplay }: IdempotentCall<T>,
    work: () => Promise<T>,
  ): Promise<T> {
    if (key === undefined) return work();
    const owner = { workspaceId, keyHash: hashIdempotencyKey(apiTokenId, key) };
    const requestHash = sha256(canonicalJson(request));
    const now = currentTime();
    const expired = now - LIFE_MS;
    const row = { ...owner, apiTokenId, requestHash, ...UNFILLED, now, expired };
    const [taken] = await this.statements.run(manager, storeResponse, row);
    if (!taken) {
      const [stored] = await this.statements.run(manager, findResponse, { ...owner, expired });
      // The sweep has removed it at this moment.
      if (!stored) throw new IdempotencyKeySpent(SPENT);
      if (!stored.requestHash.equals(requestHash)) throw new IdempotencyKeyReused();
      const response = JSON.parse(this.cipher.decrypt(stored, owner)) as T;
      await onReplay?.(manager, response);
      return response;
    }
    if (apiTokenId !== null) {
      await this.statements.run(manager, removeSurplus, { workspaceId, apiTokenId });
    }
    const response = await work();
    await this.statements.run(manager, fillResponse, {
      ...owner,
      ...this.cipher.encrypt(JSON.stringify(response), owner),
    });
    return response;
  }
}

@Injectable()
export class IdempotentResponseExpiry extends ExpirySweep {
  protected readonly removeExpired = removeOldest(
    'idempotent_response',
    'created_at',
    'workspace_id',
    'key_hash',
  );
  protected override readonly retentionMs = LIFE_MS;
}
