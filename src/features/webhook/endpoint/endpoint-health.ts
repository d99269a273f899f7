import { Injectable } from '@nestjs/common';
import { DAY_MS, currentTime, toWireTime } from '../../../platform/common/time.ts';
import type { EntityManager } from 'typeorm';
import { AuditLog, ofService } from '../../../core/audit/audit-log.ts';
import { statement } from '../../../platform/database/statement.ts';
import { Statements } from '../../../platform/database/statements.ts';
import type { StoredWebhookEndpoint } from './webhook-endpoint.repository.ts';

/** An endpoint whose attempts all fail gets a warning after this time, and is disabled after twice this time. */
const WARN_AFTER_MS = 3 * DAY_MS;
const DISABLE_AFTER_WARNING_MS = 2 * DAY_MS;

type Endpoint = Pick<StoredWebhookEndpoint, 'id' | 'workspaceId' | 'url' | 'pausedUntil'>;

/** A pause that another attempt has set meanwhile stays. */
const succeed = statement<{ id: number; known: number | null }>(
  'webhook-endpoint.succeed',
  () => `
    UPDATE webhook_endpoint SET failing_since = NULL, warned_at = NULL,
      paused_until = CASE WHEN paused_until = CAST(:known AS bigint) THEN NULL ELSE paused_until END
    WHERE id = :id`,
);

/** A longer pause that another attempt has set meanwhile stays. */
const fail = statement<
  { id: number; now: number; known: number; pausedUntil: number | null },
  { failingSince: number; warnedAt: number | null }
>(
  'webhook-endpoint.fail',
  () => `
    UPDATE webhook_endpoint SET failing_since = COALESCE(failing_since, :now),
      paused_until = CASE
        WHEN paused_until > COALESCE(CAST(:pausedUntil AS bigint), 0) AND paused_until <> CAST(:known AS bigint)
        THEN paused_until ELSE CAST(:pausedUntil AS bigint) END
    WHERE id = :id AND removed_at IS NULL
    RETURNING failing_since AS "failingSince", warned_at AS "warnedAt"`,
);

const warn = statement<{ id: number; now: number }, { id: number }>(
  'webhook-endpoint.warn',
  () => `
    UPDATE webhook_endpoint SET warned_at = :now WHERE id = :id AND warned_at IS NULL RETURNING id`,
);

/** Disables nothing if the URL has changed meanwhile, or the endpoint was removed. */
const disable = statement<{ id: number; url: string; now: number; reason: string }, { id: number }>(
  'webhook-endpoint.disable',
  () => `
    UPDATE webhook_endpoint SET disabled_at = :now, disabled_reason = :reason, updated_at = :now
    WHERE id = :id AND url = :url AND disabled_at IS NULL AND removed_at IS NULL
    RETURNING id`,
);

/** Tracks failures of endpoints, and disables those that fail for days; a short outage changes nothing. */
@Injectable()
export class EndpointHealth {
  /** Endpoints that this process has disabled, by reason. */
  readonly disabled = { gone: 0, failing: 0 };

  constructor(
    private readonly statements: Statements,
    private readonly auditLog: AuditLog,
  ) {}

  async succeed(
    manager: EntityManager,
    { id, failingSince, pausedUntil: known }: StoredWebhookEndpoint,
  ): Promise<void> {
    // The next success clears a failure that another process has stored meanwhile.
    if (failingSince === null && known === null) return;
    await this.statements.run(manager, succeed, { id, known });
  }

  /** @param pauseMs duration of the pause; undefined for none */
  async fail(
    manager: EntityManager,
    endpoint: Endpoint,
    pauseMs: number | undefined,
  ): Promise<void> {
    const { id, pausedUntil: known } = endpoint;
    const now = currentTime();
    const pausedUntil = pauseMs === undefined ? null : now + pauseMs;
    const parameters = { id, now, known: known ?? 0, pausedUntil };
    const [row] = await this.statements.run(manager, fail, parameters);
    if (!row) return;
    if (row.warnedAt === null) {
      if (row.failingSince <= now - WARN_AFTER_MS) await this.warn(manager, endpoint, row);
    } else if (row.warnedAt <= now - DISABLE_AFTER_WARNING_MS) {
      await this.disable(manager, endpoint, 'failing');
    }
  }

  async disable(
    manager: EntityManager,
    { id, workspaceId, url }: Endpoint,
    reason: 'gone' | 'failing',
  ): Promise<void> {
    const parameters = { id, url, now: currentTime(), reason };
    if ((await this.statements.run(manager, disable, parameters)).length === 0) return;
    this.disabled[reason]++;
    await this.auditLog.record(manager, ofService(workspaceId), {
      action: 'webhook_endpoint.disable',
      object: { type: 'webhook_endpoint', id },
      details: { reason },
    });
  }

  private async warn(
    manager: EntityManager,
    { id, workspaceId }: Endpoint,
    { failingSince }: { failingSince: number },
  ): Promise<void> {
    const now = currentTime();
    if ((await this.statements.run(manager, warn, { id, now })).length === 0) return;
    await this.auditLog.record(manager, ofService(workspaceId), {
      action: 'webhook_endpoint.warn',
      object: { type: 'webhook_endpoint', id },
      details: {
        failing_since: toWireTime(failingSince),
        disabled_from: toWireTime(now + DISABLE_AFTER_WARNING_MS),
      },
    });
  }
}
