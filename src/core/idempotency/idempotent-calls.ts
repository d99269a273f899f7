import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../../platform/common/access/caller.ts';
import { IdempotencyKeySpent } from '../../platform/common/problem/errors.ts';
import { currentTime } from '../../platform/common/time.ts';
import { statement } from '../../platform/database/statement.ts';
import { Statements } from '../../platform/database/statements.ts';
import { Transactor } from '../../platform/database/transactor.ts';
import {
  IdempotentResponseCipher,
  type ResponseOwner,
  SPENT,
} from '../encryption-key/idempotent-response-cipher.ts';
import type { SealedText } from '../encryption-key/sealed-text.ts';
import { hashesOf, IdempotencyKeys, takeKeys } from './idempotency-keys.ts';

/** Responses kept for an API token at a time, so that no token uses up the keys of another. */
const MAX_RESPONSES = 1000;

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

const OF_TOKEN = 'workspace_id = :workspaceId AND api_token_id = :apiTokenId';

const removeSurplus = statement<{ workspaceId: number; apiTokenId: number }>(
  'idempotency-key.remove-surplus',
  () => `
    DELETE FROM idempotency_key WHERE ${OF_TOKEN} AND created_at < (
      SELECT created_at FROM idempotency_key WHERE ${OF_TOKEN}
      ORDER BY created_at DESC LIMIT 1 OFFSET ${MAX_RESPONSES - 1})`,
);

/** Takes the key of a call. Its response follows in the same transaction. */
const takeKey = statement<
  ResponseOwner & { requestHash: Buffer; apiTokenId: number | null; now: number },
  { createdAt: number }
>(
  'idempotency-key.take',
  () =>
    `${takeKeys(
      'key_hash, request_hash, api_token_id',
      'VALUES (:workspaceId, CAST(:now AS bigint), :keyHash, :requestHash, CAST(:apiTokenId AS integer))',
    )} RETURNING created_at AS "createdAt"`,
);

const fillResponse = statement<ResponseOwner & SealedText>(
  'idempotency-key.fill',
  () => `
    UPDATE idempotency_key SET key_id = :keyId, ciphertext = :ciphertext
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
    private readonly keys: IdempotencyKeys,
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
    const call = { workspaceId, apiTokenId, key, request };
    const { keyHash, requestHash } = hashesOf(call);
    const owner = { workspaceId, keyHash };
    const row = { ...owner, requestHash, apiTokenId, now: currentTime() };
    const [taken] = await this.statements.run(manager, takeKey, row);
    if (!taken) {
      const stored = await this.keys.find(call, manager);
      // The sweep has removed it at this moment.
      if (!stored) throw new IdempotencyKeySpent(SPENT);
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
