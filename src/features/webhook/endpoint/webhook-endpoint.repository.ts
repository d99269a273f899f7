import { Injectable } from '@nestjs/common';
import { randomInt } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { DatabaseUnavailable } from '../../../platform/common/problem/errors.ts';
import { WebhookEndpointNotFound } from './webhook.errors.ts';
import type { Page, PageQueryDto } from '../../../platform/common/http/parameters/page.dto.ts';
import type { Total } from '../../../platform/common/http/parameters/total.ts';
import { currentTime } from '../../../platform/common/time.ts';
import { LEASE_MS, MAX_RETRY_AFTER_MS } from '../sending/attempt-times.ts';
import { hasCome } from '../../../platform/database/stored-times.ts';
import { KeysetList, KeysetOrder } from '../../../platform/database/keyset-list.ts';
import { statement } from '../../../platform/database/statement.ts';
import { Statements } from '../../../platform/database/statements.ts';
import type { WebhookEndpoint } from '../entities/webhook-endpoint.entity.ts';

export type StoredWebhookEndpoint = Omit<WebhookEndpoint, 'workspace' | 'removedAt'>;

interface Key {
  workspaceId: number;
  id: number;
}

/** Ids are random with nine digits, so that they do not reveal how many endpoints exist. */
const ID_RANGE = [100_000_000, 1_000_000_000] as const;
/** A random id may be taken already, but seldom twice in a row. */
const MAX_ATTEMPTS = 20;

const COLUMNS = `
  e.id, e.workspace_id AS "workspaceId", e.url, e.description, e.event_types AS "eventTypes",
  e.signature, e.public_key AS "publicKey", e.ciphertext, e.key_id AS "keyId",
  e.header_names AS "headerNames", e.old_secret_until AS "oldSecretUntil",
  e.disabled_at AS "disabledAt", e.disabled_reason AS "disabledReason",
  e.failing_since AS "failingSince", e.warned_at AS "warnedAt", e.paused_until AS "pausedUntil",
  e.skipping_since AS "skippingSince", e.created_at AS "createdAt", e.updated_at AS "updatedAt"`;

const endpointList = new KeysetList<{ workspaceId: number }, StoredWebhookEndpoint>(
  'webhook-endpoint.list',
  new KeysetOrder([
    ['createdAt', 'e.created_at'],
    ['id', 'e.id'],
  ]),
  (page) => `
    SELECT ${COLUMNS} FROM webhook_endpoint e
    WHERE e.workspace_id = :workspaceId AND e.removed_at IS NULL AND ${page}`,
);

const FOUND = `
  SELECT ${COLUMNS} FROM webhook_endpoint e
  WHERE e.workspace_id = :workspaceId AND e.id = :id AND e.removed_at IS NULL`;

const findEndpoint = statement<Key, StoredWebhookEndpoint>('webhook-endpoint.find', () => FOUND);

const lockEndpoint = statement<Key, StoredWebhookEndpoint>(
  'webhook-endpoint.lock',
  ({ lockRows }) => `${FOUND} ${lockRows('e')}`,
);

const countEndpoints = statement<{ workspaceId: number }, { count: number }>(
  'webhook-endpoint.count',
  () => `
    SELECT count(*) AS count FROM webhook_endpoint
    WHERE workspace_id = :workspaceId AND removed_at IS NULL`,
);

const MAX_COUNTED = 1000;

/** Reads a bounded number of attempts of each endpoint, the latest, and of deliveries that wait. */
const countAttempts = statement<
  { ids: readonly number[]; since: number },
  { id: number; attempts: number; delivered: number; waiting: number }
>('webhook-attempt.count', ({ isOneOf }) => {
  const latest = (count: string) => `
    (SELECT ${count} FROM (
      SELECT a.status FROM webhook_attempt a WHERE a.endpoint_id = e.id AND a.at >= CAST(:since AS bigint)
      ORDER BY a.at DESC LIMIT ${MAX_COUNTED}) AS latest)`;
  return `
    SELECT e.id, ${latest('count(*)')} AS attempts,
      ${latest('count(CASE WHEN latest.status BETWEEN 200 AND 299 THEN 1 END)')} AS delivered,
      (SELECT count(*) FROM (
        SELECT d.id FROM webhook_delivery d
        WHERE d.endpoint_id = e.id AND d.due_at IS NOT NULL LIMIT ${MAX_COUNTED + 1}) AS due) AS waiting
    FROM webhook_endpoint e WHERE ${isOneOf('e.id', ':ids', 'integer')}`;
});

type New = Omit<StoredWebhookEndpoint, 'skippingSince'>;

const insertEndpoint = statement<{ [Name in keyof New]: New[Name] }, { id: number }>(
  'webhook-endpoint.insert',
  () => `
    INSERT INTO webhook_endpoint (id, workspace_id, url, description, event_types, signature,
      public_key, ciphertext, key_id, header_names, old_secret_until, disabled_at, disabled_reason,
      failing_since, warned_at, paused_until, created_at, updated_at)
    VALUES (:id, :workspaceId, :url, :description, :eventTypes, :signature, :publicKey, :ciphertext,
      :keyId, :headerNames, :oldSecretUntil, :disabledAt, :disabledReason, :failingSince, :warnedAt,
      :pausedUntil, :createdAt, :updatedAt)
    ON CONFLICT (id) DO NOTHING
    RETURNING id`,
);

type Changing = Omit<StoredWebhookEndpoint, 'signature' | 'createdAt' | 'skippingSince'>;

const updateEndpoint = statement<{ [Name in keyof Changing]: Changing[Name] }>(
  'webhook-endpoint.update',
  () => `
    UPDATE webhook_endpoint SET url = :url, description = :description, event_types = :eventTypes,
      public_key = :publicKey, ciphertext = :ciphertext, key_id = :keyId,
      header_names = :headerNames, old_secret_until = :oldSecretUntil, disabled_at = :disabledAt,
      disabled_reason = :disabledReason, failing_since = :failingSince, warned_at = :warnedAt,
      paused_until = :pausedUntil, updated_at = :updatedAt
    WHERE workspace_id = :workspaceId AND id = :id`,
);

/** An endpoint with deliveries that are due, the first of them since `dueAt`. */
export type DueEndpoint = Pick<StoredWebhookEndpoint, 'id' | 'workspaceId' | 'pausedUntil'> & {
  dueAt: number;
};

const findDue = statement<{ now: number }, DueEndpoint>(
  'webhook-endpoint.find-due',
  () => `
    SELECT id, workspace_id AS "workspaceId", paused_until AS "pausedUntil", due_at AS "dueAt"
    FROM (
      SELECT e.id, e.workspace_id, e.paused_until, (
        SELECT d.due_at FROM webhook_delivery d
        WHERE d.endpoint_id = e.id AND d.due_at <= CAST(:now AS bigint)
          AND (d.leased_until IS NULL OR ${hasCome('d.leased_until', LEASE_MS)})
        ORDER BY d.due_at LIMIT 1) AS due_at
      FROM webhook_endpoint e
      WHERE e.disabled_at IS NULL AND e.removed_at IS NULL
        AND (e.paused_until IS NULL OR ${hasCome('e.paused_until', MAX_RETRY_AFTER_MS)})) AS sendable
    WHERE due_at IS NOT NULL`,
);

const findForSending = statement<{ id: number; now: number }, StoredWebhookEndpoint>(
  'webhook-endpoint.find-for-sending',
  () => `
    SELECT ${COLUMNS} FROM webhook_endpoint e
    WHERE e.id = :id AND e.disabled_at IS NULL AND e.removed_at IS NULL
      AND (e.paused_until IS NULL OR ${hasCome('e.paused_until', MAX_RETRY_AFTER_MS)})`,
);

type SubscribedEndpoint = Pick<
  StoredWebhookEndpoint,
  'id' | 'workspaceId' | 'eventTypes' | 'createdAt' | 'skippingSince'
>;

const listOfWorkspaces = statement<{ workspaceIds: readonly number[] }, SubscribedEndpoint>(
  'webhook-endpoint.list-of-workspaces',
  ({ isOneOf }) => `
    SELECT e.id, e.workspace_id AS "workspaceId", e.event_types AS "eventTypes",
      e.created_at AS "createdAt", e.skipping_since AS "skippingSince"
    FROM webhook_endpoint e
    WHERE ${isOneOf('e.workspace_id', ':workspaceIds', 'integer')} AND e.removed_at IS NULL`,
);

const findAny = statement<object, { id: number }>(
  'webhook-endpoint.find-any',
  () => 'SELECT id FROM webhook_endpoint WHERE removed_at IS NULL LIMIT 1',
);

const findOldestCreation = statement<object, { createdAt: number | null }>(
  'webhook-endpoint.find-oldest-creation',
  () => 'SELECT min(created_at) AS "createdAt" FROM webhook_endpoint WHERE removed_at IS NULL',
);

const markRemoved = statement<Key & { now: number }>(
  'webhook-endpoint.mark-removed',
  () => `
    UPDATE webhook_endpoint SET removed_at = :now WHERE workspace_id = :workspaceId AND id = :id`,
);

/** Queries webhook endpoints; each query names its workspace. */
@Injectable()
export class WebhookEndpointRepository {
  constructor(private readonly statements: Statements) {}

  /** Lists one page in the order of creation. */
  list(workspaceId: number, query: PageQueryDto): Promise<Page<StoredWebhookEndpoint>> {
    return endpointList.page(this.statements, query, { workspaceId });
  }

  /** @throws WebhookEndpointNotFound */
  async get(key: Key): Promise<StoredWebhookEndpoint> {
    const [found] = await this.statements.read(findEndpoint, key);
    if (!found) throw new WebhookEndpointNotFound();
    return found;
  }

  /** Locks the row against other writers until the transaction ends. @throws WebhookEndpointNotFound */
  async lock(manager: EntityManager, key: Key): Promise<StoredWebhookEndpoint> {
    const [found] = await this.statements.run(manager, lockEndpoint, key);
    if (!found) throw new WebhookEndpointNotFound();
    return found;
  }

  async count(manager: EntityManager, workspaceId: number): Promise<number> {
    const [row] = await this.statements.run(manager, countEndpoints, { workspaceId });
    return row!.count;
  }

  /** Counts the attempts at these endpoints since a time, and the deliveries that wait, in any order of the endpoints. */
  async countAttempts(
    ids: readonly number[],
    since: number,
  ): Promise<{ id: number; attempts: number; delivered: number; waiting: Total }[]> {
    const rows = await this.statements.read(countAttempts, { ids, since });
    return rows.map(({ waiting, ...one }) => ({
      ...one,
      waiting: { count: Math.min(waiting, MAX_COUNTED), exact: waiting <= MAX_COUNTED },
    }));
  }

  /** Inserts an endpoint under a free id. @param toRow makes the row of this id */
  async insert(
    manager: EntityManager,
    toRow: (id: number) => StoredWebhookEndpoint,
  ): Promise<StoredWebhookEndpoint> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const row = toRow(randomInt(...ID_RANGE));
      if ((await this.statements.run(manager, insertEndpoint, row)).length > 0) return row;
    }
    throw new DatabaseUnavailable(new Error(`found no free id in ${MAX_ATTEMPTS} attempts`));
  }

  /** Stores an endpoint that `manager` has locked. */
  async update(manager: EntityManager, row: StoredWebhookEndpoint): Promise<void> {
    await this.statements.run(manager, updateEndpoint, row);
  }

  async hasAny(): Promise<boolean> {
    return (await this.statements.read(findAny, {})).length > 0;
  }

  /** Returns the creation time of the oldest endpoint of all; undefined if there is none. */
  async findOldestCreation(): Promise<number | undefined> {
    return (await this.statements.read(findOldestCreation, {}))[0]?.createdAt ?? undefined;
  }

  /** Lists the endpoints of these workspaces, including disabled ones. */
  listOf(workspaceIds: readonly number[]): Promise<SubscribedEndpoint[]> {
    return this.statements.read(listOfWorkspaces, { workspaceIds });
  }

  /** Lists the endpoints of every workspace with deliveries that are due. */
  findDue(): Promise<DueEndpoint[]> {
    return this.statements.read(findDue, { now: currentTime() });
  }

  /** Returns undefined if the endpoint is disabled or paused. */
  async findForSending(id: number): Promise<StoredWebhookEndpoint | undefined> {
    return (await this.statements.read(findForSending, { id, now: currentTime() }))[0];
  }

  /** Hides an endpoint that `manager` has locked from everything but `RemovedEndpoints`. */
  async markRemoved(manager: EntityManager, key: Key): Promise<void> {
    await this.statements.run(manager, markRemoved, { ...key, now: currentTime() });
  }
}
