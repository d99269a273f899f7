import { Injectable, Logger } from '@nestjs/common';
import type { Request } from 'express';
import { findCaller } from '../../../platform/common/access/caller.ts';
import { ApiTokenInvalid } from '../../../platform/common/problem/errors.ts';
import type { ServiceError } from '../../../platform/common/problem/problem.ts';
import { SignInNotGranted } from '../audit.errors.ts';
import {
  addressBlock,
  clientAddress,
} from '../../../platform/common/http/parameters/client-address.ts';
import { pathLogger } from '../../../platform/common/http/observing/logged-path.ts';
import { requestId } from '../../../platform/common/http/observing/request-id.ts';
import type { RefusalObserver } from '../../../platform/common/problem/refusal-observer.ts';
import { TokenBuckets } from '../../../platform/common/concurrency/token-buckets.ts';
import { logRepeated } from '../../../platform/common/repeated-failures.ts';
import { Config } from '../../../platform/config/config.ts';
import { Transactor } from '../../../platform/database/transactor.ts';
import { onDrained, type OnDrained } from '../../../platform/database/upkeep/shutdown-phases.ts';
import { type AuditActor, AuditLog } from '../audit-log.ts';
import { AnonymousRefusals } from './anonymous-refusals.ts';

/**
 * Rows per minute and workspace, from one client and in all, so that refused calls cannot fill the disk, and refusals
 * of one workspace never displace those of another.
 */
const ROWS_PER_MINUTE = { client: 5, all: 60 };

/**
 * Records failed authentication and missing scopes in the background, without delaying the call. Counts refusals beyond
 * the limit in the next row.
 */
@Injectable()
export class AccessRefusalLog implements RefusalObserver, OnDrained {
  private readonly logger = new Logger(AccessRefusalLog.name);
  private readonly rows = new TokenBuckets();
  private readonly loggedPath: (path: string) => string;
  private readonly pending = new Set<Promise<void>>();
  /** Refusals without a row since the last row, by workspace. */
  private readonly notRecorded = new Map<number, number>();

  constructor(
    private readonly transactor: Transactor,
    private readonly auditLog: AuditLog,
    private readonly anonymousRefusals: AnonymousRefusals,
    { bootstrapApiToken }: Config,
  ) {
    this.loggedPath = pathLogger(bootstrapApiToken);
  }

  record(error: ServiceError, request: Request): void {
    const work = this.write(error, request)
      .catch((err: unknown) => {
        logRepeated(this.logger, 'warn', { msg: 'refusal not recorded', err });
      })
      .finally(() => this.pending.delete(work));
    this.pending.add(work);
  }

  async [onDrained](): Promise<void> {
    await Promise.all(this.pending);
  }

  private async write(error: ServiceError, request: Request): Promise<void> {
    const actor = actorOf(error, request);
    const { workspaceId } = actor;
    const { code, status } = error.spec;
    const call = { code, method: request.method, path: this.loggedPath(request.path) };
    const action = status === 403 ? 'authorization.refuse' : 'authentication.refuse';
    if (workspaceId === null) {
      const subject = error instanceof SignInNotGranted ? error.subject : undefined;
      this.anonymousRefusals.record(code, actor, { action, details: call }, subject);
      return;
    }
    if (!this.isWithinLimits(workspaceId, addressBlock(clientAddress(request)))) {
      this.leaveOut(workspaceId, 1);
      return;
    }
    const notRecorded = this.notRecorded.get(workspaceId) ?? 0;
    this.notRecorded.delete(workspaceId);
    const details = { ...call, ...(notRecorded > 0 && { not_recorded_before: notRecorded }) };
    try {
      await this.transactor.run((manager) =>
        this.auditLog.record(manager, actor, { action, details }),
      );
    } catch (err) {
      this.leaveOut(workspaceId, notRecorded + 1);
      logRepeated(this.logger, 'warn', { msg: 'refusal not recorded', err });
    }
  }

  private leaveOut(workspaceId: number, count: number): void {
    this.notRecorded.set(workspaceId, (this.notRecorded.get(workspaceId) ?? 0) + count);
  }

  private isWithinLimits(workspaceId: number, client: string): boolean {
    const ofClient = {
      key: `client:${workspaceId} ${client}`,
      perMinute: ROWS_PER_MINUTE.client,
      reserve: 0,
    };
    const ofAll = { key: `workspace:${workspaceId}`, perMinute: ROWS_PER_MINUTE.all, reserve: 0 };
    return this.rows.take([ofClient, ofAll], 1).granted === 1;
  }
}

/** Returns the actor, even of a token that has ended: its workspace should see that it is still tried. */
function actorOf(error: ServiceError, request: Request): AuditActor {
  const subject = error instanceof ApiTokenInvalid ? error.subject : undefined;
  const { workspaceId, apiTokenId } = subject ?? findCaller(request) ?? unknown;
  const address = clientAddress(request) ?? null;
  return { workspaceId, apiTokenId, requestId: requestId(request), address };
}

const unknown = { workspaceId: null, apiTokenId: null };
