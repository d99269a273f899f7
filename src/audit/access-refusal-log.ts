import { Injectable, Logger } from '@nestjs/common';
import type { Request } from 'express';
import { findCaller } from '../common/caller.ts';
import { ApiTokenInvalid, type ServiceError, SignInNotGranted } from '../common/errors.ts';
import { addressBlock, clientAddress } from '../common/http/client-address.ts';
import { pathLogger } from '../common/http/logged-path.ts';
import { requestId } from '../common/http/request-id.ts';
import type { RefusalObserver } from '../common/refusal-observer.ts';
import { MemoryLimiter } from '../common/memory-limiter.ts';
import { logRepeated } from '../common/repeated-failures.ts';
import { Config } from '../config/config.ts';
import { Transactor } from '../database/transactor.ts';
import type { OnLastAnswer } from '../database/upkeep/last-work.ts';
import { type AuditActor, AuditLog } from './audit-log.ts';
import { StrangerRefusals } from './stranger-refusals.ts';

/**
 * Rows per minute, from one client and in all, so that refused calls cannot fill the disk; counted
 * for each workspace, so that the refusals of one never crowd out those of another.
 */
const ROWS_PER_MINUTE = { client: 5, all: 60 };
const MINUTE_SECONDS = 60;

/**
 * Records failed authentication and missing scopes in the audit log, in the background, adding
 * nothing to the time of the call. Refusals beyond the limit are counted in the next row that is
 * written.
 */
@Injectable()
export class AccessRefusalLog implements RefusalObserver, OnLastAnswer {
  private readonly logger = new Logger(AccessRefusalLog.name);
  private readonly perClient = limiter(ROWS_PER_MINUTE.client);
  private readonly all = limiter(ROWS_PER_MINUTE.all);
  private readonly loggedPath: (path: string) => string;
  private readonly pending = new Set<Promise<void>>();
  /** How many were left out since the last row, by workspace. */
  private readonly notRecorded = new Map<number, number>();

  constructor(
    private readonly transactor: Transactor,
    private readonly auditLog: AuditLog,
    private readonly strangers: StrangerRefusals,
    { bootstrapApiToken }: Config,
  ) {
    this.loggedPath = pathLogger(bootstrapApiToken);
  }

  record(error: ServiceError, request: Request): void {
    const work = this.write(error, request).finally(() => this.pending.delete(work));
    this.pending.add(work);
  }

  async onLastAnswer(): Promise<void> {
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
      this.strangers.record(code, actor, { action, details: call }, subject);
      return;
    }
    if (!(await this.isWithinLimits(workspaceId, addressBlock(clientAddress(request))))) {
      this.leaveOut(workspaceId, 1);
      return;
    }
    const notRecorded = this.notRecorded.get(workspaceId) ?? 0;
    this.notRecorded.delete(workspaceId);
    const details = { ...call, ...(notRecorded > 0 && { not_recorded_before: notRecorded }) };
    try {
      await this.transactor.run((manager) => {
        this.auditLog.record(manager, actor, { action, details });
      });
    } catch (err) {
      this.leaveOut(workspaceId, notRecorded + 1);
      logRepeated(this.logger, 'warn', { msg: 'refusal not recorded', err });
    }
  }

  private leaveOut(workspaceId: number, count: number): void {
    this.notRecorded.set(workspaceId, (this.notRecorded.get(workspaceId) ?? 0) + count);
  }

  private async isWithinLimits(workspaceId: number, client: string): Promise<boolean> {
    try {
      await this.perClient.consume(`${workspaceId} ${client}`);
      await this.all.consume(String(workspaceId));
      return true;
    } catch {
      return false;
    }
  }
}

function limiter(points: number): MemoryLimiter {
  return new MemoryLimiter({ points, duration: MINUTE_SECONDS });
}

/** Names even a token that has ended: its workspace should see that it is still tried. */
function actorOf(error: ServiceError, request: Request): AuditActor {
  const subject = error instanceof ApiTokenInvalid ? error.subject : undefined;
  const { workspaceId, apiTokenId } = subject ?? findCaller(request) ?? unknown;
  const address = clientAddress(request) ?? null;
  return { workspaceId, apiTokenId, requestId: requestId(request), address };
}

const unknown = { workspaceId: null, apiTokenId: null };
