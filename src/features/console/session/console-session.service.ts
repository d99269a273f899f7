import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type AuditActor, AuditLog } from '../../../core/audit/audit-log.ts';
import type { Caller, TokenCaller } from '../../../platform/common/access/caller.ts';
import { SessionEnded, SessionNotFound } from '../console.errors.ts';
import { Gate } from '../../../platform/common/concurrency/gate.ts';
import { randomBytes, randomNumber } from '../../../platform/common/secret/random-bytes.ts';
import { hashToken, redactTokens } from '../../../platform/common/secret/secrets.ts';
import { currentTime } from '../../../platform/common/time.ts';
import { Transactor, type Work } from '../../../platform/database/transactor.ts';
import {
  ConsoleSessionRepository,
  type Owner,
  type StoredSession,
} from './console-session.repository.ts';
import type { SessionsResponse } from './dto/console-session-response.dto.ts';
import { toSessionItem } from './console-session.view.ts';
import { IDLE_MS, isAlive, LIFE_MS } from './session-life.ts';

const SECRET_BYTES = 32;
const USER_AGENT_LENGTH = 255;
/** Maximum of sessions per API token: a script that signs in for each call must not fill the table. */
const MAX_PER_TOKEN = 100;
const MAX_LISTED = 500;

const SEES_ALL = 'admin';

@Injectable()
export class ConsoleSessionService {
  constructor(
    private readonly sessions: ConsoleSessionRepository,
    private readonly transactor: Transactor,
    private readonly auditLog: AuditLog,
    private readonly gate: Gate,
  ) {}

  /**
   * Begins a session for the API token of the caller, and ends the previous one of its browser. The secret is returned
   * only here.
   * @param options.previous the SHA-256 of the secret of the browser's previous session
   * @throws SessionEnded if the API token has ended meanwhile
   */
  async begin(
    caller: TokenCaller,
    { previous, userAgent }: { previous: Buffer | undefined; userAgent: string | undefined },
  ): Promise<{ session: StoredSession; secret: string }> {
    const { workspaceId, apiTokenId, address } = caller;
    const former = previous && (await this.sessions.findBySecret(previous));
    const secret = randomBytes(SECRET_BYTES).toString('base64url');
    const now = currentTime();
    const session = {
      id: randomNumber(),
      workspaceId,
      secretHash: hashToken(secret),
      apiTokenId,
      at: now,
      expiresAt: now + LIFE_MS,
      address,
      userAgent:
        userAgent === undefined ? null : redactTokens(userAgent).slice(0, USER_AGENT_LENGTH),
    };
    await this.write(caller, async (manager) => {
      if (former) await this.leave(manager, caller, former);
      await this.sessions.insert(manager, session);
      await this.auditLog.record(manager, caller, {
        action: 'console_session.begin',
        object: { type: 'console_session', id: session.id },
      });
      await this.endSurplus(manager, caller);
    });
    const begun = await this.find(secret);
    if (!begun || !isAlive(begun)) throw new SessionEnded();
    return { session: begun, secret };
  }

  /** Finds the session of a secret, including one that has ended but still exists. */
  find(secret: string): Promise<StoredSession | undefined> {
    return this.sessions.findBySecret(hashToken(secret));
  }

  async signOut(secret: string, actor: Pick<Caller, 'requestId' | 'address'>): Promise<void> {
    const session = await this.find(secret);
    if (!session) return;
    await this.write(session, (manager) => this.leave(manager, actor, session));
  }

  /** @param before leaves a later use as it is */
  async setLastUsed(session: StoredSession, at: number, before: number): Promise<void> {
    await this.write(session, (manager) =>
      this.sessions.setLastUsed(manager, { id: session.id, at, before }),
    );
  }

  /** Runs in a turn, because sign-ins and sign-outs have none yet: one that reads never take. */
  private write(
    whose: Pick<Caller, 'workspaceId' | 'apiTokenId'>,
    work: Work<void>,
  ): Promise<void> {
    return this.gate.run(whose, () => this.transactor.run(work), 'ending');
  }

  /**
   * Lists the sessions of the workspace; a caller without the scope `admin`, or with a restricted API token, gets those of
   * its own API token.
   */
  async list(caller: Caller, currentId: number): Promise<SessionsResponse> {
    const now = currentTime();
    const alive = { now, usedAfter: now - IDLE_MS };
    const rows = await this.sessions.list({ ...visibleTo(caller), ...alive, limit: MAX_LISTED });
    return { success: 1, sessions: rows.map((row) => toSessionItem(row, currentId)) };
  }

  /** Ends a session that the caller sees. @throws SessionNotFound */
  async end(caller: Caller, id: number): Promise<void> {
    const isEnded = await this.transactor.run(async (manager) => {
      const isThere = await this.sessions.remove(manager, { ...visibleTo(caller), id });
      if (isThere) await this.recordEnd(manager, caller, id);
      return isThere;
    });
    if (!isEnded) throw new SessionNotFound();
  }

  /** Ends the session as its own API token, whichever workspace the browser signs in to next. */
  private async leave(
    manager: EntityManager,
    { requestId, address }: Pick<Caller, 'requestId' | 'address'>,
    session: StoredSession,
  ): Promise<void> {
    const { id, workspaceId, apiTokenId } = session;
    const isThere = await this.sessions.remove(manager, {
      id,
      workspaceId,
      apiTokenId,
      seesAll: 0,
    });
    if (!isThere || !isAlive(session)) return;
    await this.recordEnd(manager, { workspaceId, apiTokenId, requestId, address }, id);
  }

  /** Ends the least recently used sessions of the API token, each recorded as any other end. */
  private async endSurplus(manager: EntityManager, caller: TokenCaller): Promise<void> {
    const { workspaceId, apiTokenId } = caller;
    const removed = await this.sessions.removeBeyond(manager, {
      workspaceId,
      apiTokenId,
      keep: MAX_PER_TOKEN,
      limit: MAX_PER_TOKEN,
    });
    for (const { id, ...times } of removed) {
      // The API token has not ended: it has just been used to sign in.
      const ofToken = { tokenExpiresAt: null, tokenRevokedAt: null };
      if (isAlive({ ...times, ...ofToken })) await this.recordEnd(manager, caller, id);
    }
  }

  private recordEnd(manager: EntityManager, actor: AuditActor, id: number): Promise<void> {
    return this.auditLog.record(manager, actor, {
      action: 'console_session.end',
      object: { type: 'console_session', id },
    });
  }
}

function visibleTo({ workspaceId, apiTokenId, scopes, range }: Caller): Owner {
  return { workspaceId, apiTokenId, seesAll: scopes.has(SEES_ALL) && range === null ? 1 : 0 };
}
