import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditLog, ofService } from '../../audit/audit-log.ts';
import { statement } from '../../database/statement.ts';
import { Statements } from '../../database/statements.ts';
import type { StoredWebhookEndpoint } from './webhook-endpoint.repository.ts';

const DAY_MS = 86_400_000;
/** An endpoint of which every attempt has failed for so long is warned of, and after as long again as here switched off. */
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

/** Not if it has moved since. */
const disable = statement<{ id: number; url: string; now: number; reason: string }, { id: number }>(
  'webhook-endpoint.disable',
  () => `
    UPDATE webhook_endpoint SET disabled_at = :now, disabled_reason = :reason, updated_at = :now
    WHERE id = :id AND url = :url AND disabled_at IS NULL
    RETURNING id`,
);

/** Keeps how an endpoint does, and switches off what does not work for days; a short outage changes nothing. */
@Injectable()
export class EndpointHealth {
  /** How many endpoints this process has switched off, by reason. */
  readonly disabled = { gone: 0, failing: 0 };

  constructor(
    private readonly statements: Statements,
    private readonly auditLog: AuditLog,
  ) {}

  async succeed(
    manager: EntityManager,
    { id, failingSince, pausedUntil: known }: StoredWebhookEndpoint,
  ): Promise<void> {
    // What another process has noted meanwhile is undone by the next success.
    if (failingSince === null && known === null) return;
    await this.statements.run(manager, succeed, { id, known });
  }

  /** @param pauseMs for how long nothing is to be sent to it; undefined to go on */
  async fail(
    manager: EntityManager,
    endpoint: Endpoint,
    pauseMs: number | undefined,
  ): Promise<void> {
    const { id, pausedUntil: known } = endpoint;
    const now = Date.now();
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

  /** Switches the endpoint off, unless it is so already. */
  async disable(
    manager: EntityManager,
    { id, workspaceId, url }: Endpoint,
    reason: 'gone' | 'failing',
  ): Promise<void> {
    const parameters = { id, url, now: Date.now(), reason };
    if ((await this.statements.run(manager, disable, parameters)).length === 0) return;
    this.disabled[reason]++;
    this.auditLog.record(manager, ofService(workspaceId), {
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
    const now = Date.now();
    if ((await this.statements.run(manager, warn, { id, now })).length === 0) return;
    this.auditLog.record(manager, ofService(workspaceId), {
      action: 'webhook_endpoint.warn',
      object: { type: 'webhook_endpoint', id },
      details: {
        failing_since: new Date(failingSince).toISOString(),
        disabled_from: new Date(now + DISABLE_AFTER_WARNING_MS).toISOString(),
      },
    });
  }
}
