import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditLog } from '../../audit/audit-log.ts';
import type { Caller } from '../../common/caller.ts';
import { TooManyWebhookEndpoints } from '../../common/errors.ts';
import { MAX_GRACE_SECONDS } from '../../common/grace.ts';
import type { DeletedAnswer } from '../../common/http/deleted-answer.dto.ts';
import { limitOf, type PageQueryDto, positionOf, toPage } from '../../common/http/page.dto.ts';
import { Transactor } from '../../database/transactor.ts';
import { WorkspaceService } from '../../workspace/workspace.service.ts';
import { generateSigningSecret } from '../sending/signature.ts';
import type {
  CreateWebhookEndpointDto,
  RollWebhookSecretDto,
  UpdateWebhookEndpointDto,
} from './dto/webhook-endpoint.dto.ts';
import {
  type IssuedWebhookEndpointAnswer,
  toWebhookEndpointView,
  type WebhookEndpointAnswer,
  type WebhookEndpointsAnswer,
} from './dto/webhook-endpoint-answer.dto.ts';
import { EndpointSecrets, requireHeadersAnew } from './endpoint-secrets.ts';
import { EndpointUrls } from './endpoint-urls.ts';
import { RemovedEndpoints } from './removed-endpoints.ts';
import {
  type StoredWebhookEndpoint,
  WebhookEndpointRepository,
} from './webhook-endpoint.repository.ts';

/** As many as a workspace can have: each event is sent to every one of them. */
const MAX_ENDPOINTS = 50;

/** Administers the webhook endpoints of workspaces. */
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
  ) {}

  /** Lists one page in the order of creation. */
  async list({ workspaceId }: Caller, query: PageQueryDto): Promise<WebhookEndpointsAnswer> {
    const limit = limitOf(query);
    const [afterTime = 0, afterId = 0] = positionOf(query, 2) ?? [];
    const page = { workspaceId, afterTime, afterId, limit: limit + 1 };
    const found = await this.endpoints.list(page);
    const { rows, nextCursor } = toPage(found, limit, ({ createdAt, id }) => [createdAt, id]);
    return {
      success: 1,
      webhook_endpoints: rows.map(toWebhookEndpointView),
      ...(nextCursor !== undefined && { next_cursor: nextCursor }),
    };
  }

  /** @throws WebhookEndpointNotFound */
  async get({ workspaceId }: Caller, id: number): Promise<WebhookEndpointAnswer> {
    const row = await this.endpoints.get({ workspaceId, id });
    return { success: 1, webhook_endpoint: toWebhookEndpointView(row) };
  }

  /**
   * Creates an endpoint. The answer is the only place where its secret can ever be read.
   * @throws ValidationFailed, TooManyWebhookEndpoints
   */
  async create(
    caller: Caller,
    dto: CreateWebhookEndpointDto,
  ): Promise<IssuedWebhookEndpointAnswer> {
    const { workspaceId } = caller;
    this.urls.requireAcceptable(dto.url);
    const { signature = 'v1', headers = {} } = dto;
    const { secret, publicKey } = generateSigningSecret(signature);
    const now = Date.now();
    const row = await this.transactor.run(async (manager) => {
      // One after the other, so that the number of endpoints is kept.
      await this.workspaces.lock(manager, workspaceId);
      if ((await this.endpoints.count(manager, workspaceId)) >= MAX_ENDPOINTS) {
        throw new TooManyWebhookEndpoints(MAX_ENDPOINTS);
      }
      const inserted = await this.endpoints.insert(manager, (id) => ({
        id,
        workspaceId,
        url: dto.url,
        description: dto.description ?? null,
        eventTypes: (dto.event_types ?? ['*']).join(' '),
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
      this.auditLog.record(manager, caller, {
        action: 'webhook_endpoint.create',
        object: { type: 'webhook_endpoint', id: inserted.id },
        after: settingsOf(inserted),
      });
      return inserted;
    });
    return toIssuedAnswer(row, secret);
  }

  /**
   * Stores every field that was sent.
   * @throws WebhookEndpointNotFound, ValidationFailed, WebhookSecretUnreadable
   */
  async update(
    caller: Caller,
    id: number,
    dto: UpdateWebhookEndpointDto,
  ): Promise<WebhookEndpointAnswer> {
    if (dto.url !== undefined) this.urls.requireAcceptable(dto.url);
    const changed = await this.change(caller, id, (manager, row) => {
      const before = { ...row };
      requireHeadersAnew(row, dto);
      Object.assign(row, {
        url: dto.url ?? row.url,
        // Another place has not answered yet.
        pausedUntil: dto.url === undefined || dto.url === row.url ? row.pausedUntil : Date.now(),
        description: dto.description === undefined ? row.description : dto.description,
        eventTypes: dto.event_types?.join(' ') ?? row.eventTypes,
        ...(dto.headers && this.secrets.withHeaders(row, dto.headers)),
      });
      if (hasChanged(before, row)) {
        this.auditLog.record(manager, caller, {
          action: 'webhook_endpoint.update',
          object: { type: 'webhook_endpoint', id },
          before: settingsOf(before),
          after: settingsOf(row),
        });
      }
      this.switch(manager, caller, row, dto.enabled);
    });
    return { success: 1, webhook_endpoint: toWebhookEndpointView(changed) };
  }

  /**
   * Puts a new secret in the place of the endpoint's, which goes on signing for the grace period; that
   * before it ends at once. Secrets that cannot be decrypted any more end, and so do the headers.
   * @throws WebhookEndpointNotFound
   */
  async rollSecret(
    caller: Caller,
    id: number,
    dto: RollWebhookSecretDto,
  ): Promise<IssuedWebhookEndpointAnswer> {
    const { grace_period_seconds: graceSeconds = MAX_GRACE_SECONDS } = dto;
    let issued = '';
    const changed = await this.change(caller, id, (manager, row) => {
      const { secret, columns, isUnreadable } = this.secrets.roll(row, graceSeconds * 1000);
      issued = secret;
      Object.assign(row, columns);
      this.auditLog.record(manager, caller, {
        action: 'webhook_endpoint.roll_secret',
        object: { type: 'webhook_endpoint', id },
        details: {
          grace_period_seconds: row.oldSecretUntil === null ? 0 : graceSeconds,
          ...(isUnreadable && { unreadable: true }),
        },
      });
    });
    return toIssuedAnswer(changed, issued);
  }

  /**
   * Deletes an endpoint: from then on nothing is sent to it, and nobody sees it.
   * @throws WebhookEndpointNotFound
   */
  async remove(caller: Caller, id: number): Promise<DeletedAnswer> {
    const key = { workspaceId: caller.workspaceId, id };
    await this.transactor.run(async (manager) => {
      const row = await this.endpoints.lock(manager, key);
      await this.endpoints.markRemoved(manager, key);
      this.auditLog.record(manager, caller, {
        action: 'webhook_endpoint.delete',
        object: { type: 'webhook_endpoint', id },
        before: settingsOf(row),
      });
    });
    void this.removed.sweep();
    return { success: 1 };
  }

  /** @returns the endpoint as it is then */
  private change(
    { workspaceId }: Caller,
    id: number,
    work: (manager: EntityManager, row: StoredWebhookEndpoint) => void,
  ): Promise<StoredWebhookEndpoint> {
    return this.transactor.run(async (manager) => {
      const row = await this.endpoints.lock(manager, { workspaceId, id });
      const before = { ...row };
      work(manager, row);
      if (hasChanged(before, row)) {
        row.updatedAt = Date.now();
        await this.endpoints.update(manager, row);
      }
      return row;
    });
  }

  /** Switches it on or off, unless it is so already. */
  private switch(
    manager: EntityManager,
    caller: Caller,
    row: StoredWebhookEndpoint,
    enabled: boolean | undefined,
  ): void {
    if (enabled === undefined || enabled === (row.disabledAt === null)) return;
    const reason = row.disabledReason;
    row.disabledAt = enabled ? null : Date.now();
    row.disabledReason = enabled ? null : 'request';
    Object.assign(row, { failingSince: null, warnedAt: null, pausedUntil: Date.now() });
    this.auditLog.record(manager, caller, {
      action: enabled ? 'webhook_endpoint.update' : 'webhook_endpoint.disable',
      object: { type: 'webhook_endpoint', id: row.id },
      ...(enabled
        ? { before: { enabled: false, reason }, after: { enabled: true } }
        : { details: { reason: 'request' } }),
    });
  }
}

function toIssuedAnswer(row: StoredWebhookEndpoint, secret: string): IssuedWebhookEndpointAnswer {
  return {
    success: 1,
    webhook_endpoint: {
      ...toWebhookEndpointView(row),
      secret: row.signature === 'v1' ? secret : null,
    },
  };
}

/** The settings that the audit log records: of the URL its origin alone, since the rest can be a secret. */
function settingsOf(row: StoredWebhookEndpoint): object {
  const { description, event_types, signature, headers } = toWebhookEndpointView(row);
  return { origin: new URL(row.url).origin, description, event_types, signature, headers };
}

function hasChanged(before: StoredWebhookEndpoint, after: StoredWebhookEndpoint): boolean {
  return JSON.stringify(before) !== JSON.stringify(after);
}
