import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditLog } from '../../../core/audit/audit-log.ts';
import type { Caller } from '../../../platform/common/access/caller.ts';
import { TooManyWebhookEndpoints } from './webhook.errors.ts';
import { MAX_GRACE_SECONDS } from '../../../platform/common/grace.ts';
import type { DeletedResponse } from '../../../platform/common/http/responses/response.ts';
import type { Preconditions } from '../../../platform/common/http/parameters/preconditions.ts';
import type { PageQueryDto } from '../../../platform/common/http/parameters/page.dto.ts';
import { HOUR_MS, currentTime } from '../../../platform/common/time.ts';
import { Transactor } from '../../../platform/database/transactor.ts';
import { IdempotentCalls } from '../../../core/idempotency/idempotent-calls.ts';
import { WorkspaceService } from '../../../core/workspace/workspace.service.ts';
import { generateSigningSecret } from '../sending/signature.ts';
import type {
  CreateWebhookEndpointRequest,
  RollWebhookSecretRequest,
  UpdateWebhookEndpointRequest,
} from './dto/webhook-endpoint.dto.ts';
import {
  type WebhookEndpointWithSecretResponse,
  entityTagOfEndpoint,
  toWebhookEndpointView,
  type WebhookEndpointView,
  type WebhookEndpointResponse,
  type WebhookEndpointsResponse,
} from './dto/webhook-endpoint-response.dto.ts';
import { EndpointSecrets, requireNewHeaders } from './endpoint-secrets.ts';
import { EndpointUrls } from './endpoint-urls.ts';
import { RemovedEndpoints } from './removed-endpoints.ts';
import {
  type StoredWebhookEndpoint,
  WebhookEndpointRepository,
} from './webhook-endpoint.repository.ts';

/** Maximum per workspace: each event is sent to every endpoint. */
const MAX_ENDPOINTS = 50;

@Injectable()
export class WebhookEndpointService {
  constructor(
    private readonly endpoints: WebhookEndpointRepository,
    private readonly secrets: EndpointSecrets,
    private readonly urls: EndpointUrls,
    private readonly transactor: Transactor,
    private readonly workspaces: WorkspaceService,
    private readonly auditLog: AuditLog,
    private readonly removed: RemovedEndpoints,
    private readonly calls: IdempotentCalls,
  ) {}

  /** Lists one page in the order of creation. */
  async list({ workspaceId }: Caller, query: PageQueryDto): Promise<WebhookEndpointsResponse> {
    const { rows, ...next } = await this.endpoints.list(workspaceId, query);
    return { success: 1, webhook_endpoints: await this.withLastHour(rows), ...next };
  }

  /** @throws WebhookEndpointNotFound */
  async get({ workspaceId }: Caller, id: number): Promise<WebhookEndpointResponse> {
    const row = await this.endpoints.get({ workspaceId, id });
    return { success: 1, webhook_endpoint: (await this.withLastHour([row]))[0]! };
  }

  private async withLastHour(rows: StoredWebhookEndpoint[]): Promise<WebhookEndpointView[]> {
    const ids = rows.map(({ id }) => id);
    const counted =
      ids.length === 0 ? [] : await this.endpoints.countAttempts(ids, currentTime() - HOUR_MS);
    const counts = new Map(counted.map((one) => [one.id, one]));
    return rows.map((row) => {
      const { attempts = 0, delivered = 0, waiting } = counts.get(row.id) ?? {};
      return {
        ...toWebhookEndpointView(row),
        last_hour: { attempts, delivered },
        waiting: waiting ?? { count: 0, exact: true },
      };
    });
  }

  /**
   * Creates an endpoint. The response is the only one that ever contains its secret.
   * @throws ValidationFailed, TooManyWebhookEndpoints
   */
  async create(
    caller: Caller,
    dto: CreateWebhookEndpointRequest,
    key?: string,
  ): Promise<WebhookEndpointWithSecretResponse> {
    const { workspaceId } = caller;
    this.urls.requireAcceptable(dto.url);
    const { signature = 'v1', headers = {} } = dto;
    const { secret, publicKey } = generateSigningSecret(signature);
    const now = currentTime();
    const { url, description = null, event_types: types = ['*'] } = dto;
    const request = [
      'webhook_endpoint.create',
      url,
      description,
      types.toSorted(),
      signature,
      headers,
    ];
    const call = { key, request, onReplay: this.showAgain(caller) };
    return this.calls.run(caller, call, async (manager) => {
      // Serialises creations, so that the maximum holds.
      await this.workspaces.lock(manager, workspaceId);
      if ((await this.endpoints.count(manager, workspaceId)) >= MAX_ENDPOINTS) {
        throw new TooManyWebhookEndpoints(
          `The workspace has ${MAX_ENDPOINTS} webhook endpoints, as many as it may have. Delete one first.`,
        );
      }
      const inserted = await this.endpoints.insert(manager, (id) => ({
        id,
        workspaceId,
        url,
        description,
        eventTypes: types.join(' '),
        signature,
        publicKey,
        ...this.secrets.seal({ secret, headers }, { workspaceId, id }),
        oldSecretUntil: null,
        disabledAt: null,
        disabledReason: null,
        failingSince: null,
        warnedAt: null,
        pausedUntil: now,
        skippingSince: null,
        createdAt: now,
        updatedAt: now,
      }));
      await this.auditLog.record(manager, caller, {
        action: 'webhook_endpoint.create',
        object: { type: 'webhook_endpoint', id: inserted.id },
        after: settingsOf(inserted),
      });
      return toIssuedResponse(inserted, secret);
    });
  }

  /**
   * Stores every field that was sent.
   * @throws WebhookEndpointNotFound, ValidationFailed, WebhookSecretUnreadable, PreconditionFailed
   */
  async update(
    caller: Caller,
    id: number,
    dto: UpdateWebhookEndpointRequest,
    preconditions?: Preconditions,
  ): Promise<WebhookEndpointResponse> {
    if (dto.url !== undefined) this.urls.requireAcceptable(dto.url);
    const changed = await this.transactor.run((manager) =>
      this.change(manager, caller, id, async (row) => {
        preconditions?.require(entityTagOfEndpoint(toWebhookEndpointView(row)));
        const before = { ...row };
        requireNewHeaders(row, dto);
        Object.assign(row, {
          url: dto.url ?? row.url,
          // A new URL has not responded yet.
          pausedUntil:
            dto.url === undefined || dto.url === row.url ? row.pausedUntil : currentTime(),
          description: dto.description === undefined ? row.description : dto.description,
          eventTypes: dto.event_types?.join(' ') ?? row.eventTypes,
          ...(dto.headers && this.secrets.withHeaders(row, dto.headers)),
        });
        if (hasChanged(before, row)) {
          await this.auditLog.record(manager, caller, {
            action: 'webhook_endpoint.update',
            object: { type: 'webhook_endpoint', id },
            before: settingsOf(before),
            after: settingsOf(row),
          });
        }
        await this.switch(manager, caller, row, dto.enabled);
      }),
    );
    return { success: 1, webhook_endpoint: (await this.withLastHour([changed]))[0]! };
  }

  /**
   * Replaces the secret. The previous one also signs until the grace period ends; the one before it ends at once. If
   * secrets cannot be decrypted, they and the headers are removed.
   * @throws WebhookEndpointNotFound
   */
  async rollSecret(
    caller: Caller,
    id: number,
    dto: RollWebhookSecretRequest,
    key?: string,
  ): Promise<WebhookEndpointWithSecretResponse> {
    const { grace_period_seconds: graceSeconds = MAX_GRACE_SECONDS } = dto;
    const call = {
      key,
      request: ['webhook_endpoint.roll_secret', id, graceSeconds],
      onReplay: this.showAgain(caller),
    };
    return this.calls.run(caller, call, async (manager) => {
      let issued = '';
      const changed = await this.change(manager, caller, id, async (row) => {
        const { secret, columns, isUnreadable } = this.secrets.roll(row, graceSeconds * 1000);
        issued = secret;
        Object.assign(row, columns);
        await this.auditLog.record(manager, caller, {
          action: 'webhook_endpoint.roll_secret',
          object: { type: 'webhook_endpoint', id },
          details: {
            grace_period_seconds: row.oldSecretUntil === null ? 0 : graceSeconds,
            ...(isUnreadable && { unreadable: true }),
          },
        });
      });
      return toIssuedResponse(changed, issued);
    });
  }

  private showAgain(caller: Caller) {
    return (
      manager: EntityManager,
      { webhook_endpoint: { id } }: WebhookEndpointWithSecretResponse,
    ) =>
      this.auditLog.record(manager, caller, {
        action: 'secret.show',
        object: { type: 'webhook_endpoint', id },
      });
  }

  /**
   * Deletes an endpoint: nothing is sent to it any more, and nobody sees it.
   * @throws WebhookEndpointNotFound, PreconditionFailed
   */
  async remove(
    caller: Caller,
    id: number,
    preconditions?: Preconditions,
  ): Promise<DeletedResponse> {
    const key = { workspaceId: caller.workspaceId, id };
    await this.transactor.run(async (manager) => {
      const row = await this.endpoints.lock(manager, key);
      preconditions?.require(entityTagOfEndpoint(toWebhookEndpointView(row)));
      await this.endpoints.markRemoved(manager, key);
      await this.auditLog.record(manager, caller, {
        action: 'webhook_endpoint.delete',
        object: { type: 'webhook_endpoint', id },
        before: settingsOf(row),
      });
    });
    void this.removed.sweep();
    return { success: 1 };
  }

  /** @returns the endpoint after the change */
  private async change(
    manager: EntityManager,
    { workspaceId }: Caller,
    id: number,
    work: (row: StoredWebhookEndpoint) => Promise<void>,
  ): Promise<StoredWebhookEndpoint> {
    const row = await this.endpoints.lock(manager, { workspaceId, id });
    const before = { ...row };
    await work(row);
    if (hasChanged(before, row)) {
      row.updatedAt = currentTime();
      await this.endpoints.update(manager, row);
    }
    return row;
  }

  private async switch(
    manager: EntityManager,
    caller: Caller,
    row: StoredWebhookEndpoint,
    enabled: boolean | undefined,
  ): Promise<void> {
    if (enabled === undefined || enabled === (row.disabledAt === null)) return;
    const reason = row.disabledReason;
    row.disabledAt = enabled ? null : currentTime();
    row.disabledReason = enabled ? null : 'request';
    Object.assign(row, { failingSince: null, warnedAt: null, pausedUntil: currentTime() });
    await this.auditLog.record(manager, caller, {
      action: enabled ? 'webhook_endpoint.update' : 'webhook_endpoint.disable',
      object: { type: 'webhook_endpoint', id: row.id },
      ...(enabled
        ? { before: { enabled: false, reason }, after: { enabled: true } }
        : { details: { reason: 'request' } }),
    });
  }
}

function toIssuedResponse(
  row: StoredWebhookEndpoint,
  secret: string,
): WebhookEndpointWithSecretResponse {
  return {
    success: 1,
    webhook_endpoint: {
      ...toWebhookEndpointView(row),
      secret: row.signature === 'v1' ? secret : null,
    },
  };
}

/** Returns the settings for the audit log: only the origin of the URL, since the rest can be a secret. */
function settingsOf(row: StoredWebhookEndpoint): object {
  const { description, event_types, signature, headers } = toWebhookEndpointView(row);
  return { origin: new URL(row.url).origin, description, event_types, signature, headers };
}

function hasChanged(before: StoredWebhookEndpoint, after: StoredWebhookEndpoint): boolean {
  return JSON.stringify(before) !== JSON.stringify(after);
}
