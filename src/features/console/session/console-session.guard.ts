import { type CanActivate, type ExecutionContext, Injectable, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { parseRange } from '../../../platform/common/access/user-group-range.ts';
import { LRUCache } from 'lru-cache';
import { ApiTokenUsage } from '../../../core/api-token/authentication/api-token-usage.ts';
import { isAllowedFrom } from '../../../core/api-token/api-token.rules.ts';
import { accessOf } from '../../../platform/common/access/access.decorator.ts';
import { type Caller, setCaller } from '../../../platform/common/access/caller.ts';
import { AddressNotAllowed } from '../../../platform/common/problem/errors.ts';
import { SessionEnded, SessionMissing } from '../console.errors.ts';
import { clientAddress } from '../../../platform/common/http/parameters/client-address.ts';
import { requestId } from '../../../platform/common/http/observing/request-id.ts';
import { logRepeated } from '../../../platform/common/repeated-failures.ts';
import { hashTokenText } from '../../../platform/common/secret/secrets.ts';
import { currentTime } from '../../../platform/common/time.ts';
import { BETWEEN_WRITES_MS } from '../../../platform/database/upkeep/last-use.ts';
import { FailedAuthenticationLimiter } from '../../../core/rate-limit/failed-authentication.limiter.ts';
import type { StoredSession } from './console-session.repository.ts';
import { ConsoleSessionService } from './console-session.service.ts';
import { scopesOf } from './console-session.view.ts';
import { ConsoleSite } from '../console-site.ts';
import { setSession } from './current-session.decorator.ts';
import { endedBecause, isAlive } from './session-life.ts';

const WRITE_EVERY_MS = 60_000;
/** Streams check four times a second whether they may continue. */
const ASKED_AGAIN_MS = 200;
/** The header field in which a page names the session that it shows. */
const SHOWN_SESSION = 'x-console-session';

/**
 * Authenticates calls of the console, by the cookie of a session only. The caller is the API token of the session, with
 * its current scopes and addresses: each call reads both from the database, so that any end or restriction applies from
 * the next call on, in every process.
 */
@Injectable()
export class ConsoleSessionGuard implements CanActivate {
  private readonly logger = new Logger(ConsoleSessionGuard.name);
  private readonly storing = new Set<number>();
  /** Keyed by the hash of the secret; shared by the streams of a session, which check repeatedly. */
  private readonly asked = new LRUCache<string, Promise<StoredSession | undefined>>({
    max: 1000,
    ttl: ASKED_AGAIN_MS,
  });

  constructor(
    private readonly site: ConsoleSite,
    private readonly sessions: ConsoleSessionService,
    private readonly usage: ApiTokenUsage,
    private readonly failures: FailedAuthenticationLimiter,
  ) {}

  canActivate(context: ExecutionContext): true | Promise<true> {
    const [request, response] = context.getArgs<[Request, Response]>();
    if (accessOf(context.getHandler()).isPublic) return true;
    return this.authenticate(request, response);
  }

  private async authenticate(request: Request, response: Response): Promise<true> {
    try {
      const session = await this.identify(request);
      const caller = this.toCaller(session, request);
      setCaller(request, caller);
      requireAddress(session, caller);
      setSession(request, isWatch(request) ? session : await this.use(session));
      return true;
    } catch (error) {
      await this.failures.count(error, request, response);
      throw error;
    }
  }

  /** @throws SessionMissing, SessionEnded, DatabaseUnavailable */
  private async identify(
    request: Request,
    find = (secret: string) => this.sessions.find(secret),
  ): Promise<StoredSession> {
    const secret = this.site.secretOf(request);
    if (secret === undefined) throw new SessionMissing();
    const session = await find(secret);
    if (!session || !isAlive(session)) throw new SessionEnded(endedBecause(session));
    // The browser may have a newer session: a page that still shows another workspace must not act in this one.
    const shown = request.headers[SHOWN_SESSION];
    if (shown !== undefined && shown !== String(session.id)) {
      throw new SessionEnded('This browser has another session by now.');
    }
    return session;
  }

  /** Returns the session as it is, or was a moment ago. */
  private readonly findAgain = (secret: string): Promise<StoredSession | undefined> => {
    const key = hashTokenText(secret);
    const known = this.asked.get(key);
    if (known) return known;
    const found = this.sessions.find(secret);
    this.asked.set(key, found);
    found.catch(() => this.asked.delete(key));
    return found;
  };

  private toCaller(session: StoredSession, request: Request): Caller {
    const { workspaceId, apiTokenId, firstTokenId } = session;
    return {
      workspaceId,
      apiTokenId,
      firstTokenId: firstTokenId ?? apiTokenId,
      scopes: new Set(scopesOf(session)),
      range: parseRange(session.userGroups),
      requestId: requestId(request),
      address: clientAddress(request) ?? null,
      isPerson: true,
      renew: async () => {
        const now = await this.identify(request, this.findAgain);
        const caller = this.toCaller(now, request);
        requireAddress(now, caller);
        return caller;
      },
    };
  }

  /** Stores the use of the session, at most once a minute. A failure refuses nobody; the session ends sooner. */
  private async use(session: StoredSession): Promise<StoredSession> {
    const { id, apiTokenId, lastUsedAt } = session;
    this.usage.record(apiTokenId);
    const at = currentTime();
    if (at - lastUsedAt < WRITE_EVERY_MS || this.storing.has(id)) return session;
    this.storing.add(id);
    try {
      await this.sessions.setLastUsed(session, at, at - BETWEEN_WRITES_MS);
      return { ...session, lastUsedAt: at };
    } catch (err) {
      logRepeated(this.logger, 'warn', { msg: 'use of a session not written', err });
      return session;
    } finally {
      this.storing.delete(id);
    }
  }
}

/** Tells whether the page only waits for the end, which must not extend the session. */
function isWatch({ url }: Request): boolean {
  return /^[^?]*\/console\/session\/watch(?=\?|$)/i.test(url);
}

/** @throws AddressNotAllowed */
function requireAddress({ allowedCidrs }: StoredSession, { address }: Caller): void {
  if (!isAllowedFrom(address, { allowedCidrs })) throw new AddressNotAllowed();
}
