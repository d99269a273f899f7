import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { type Access, accessOf } from '../../../platform/common/access/access.decorator.ts';
import {
  type Caller,
  setCaller,
  type TokenCaller,
} from '../../../platform/common/access/caller.ts';
import {
  AddressNotAllowed,
  CredentialsMalformed,
  CredentialsMissing,
  offerBasic,
} from '../../../platform/common/problem/errors.ts';
import { clientAddress } from '../../../platform/common/http/parameters/client-address.ts';
import {
  secretOfBasic,
  secretOfForm,
} from '../../../platform/common/http/parameters/client-secret.ts';
import { requestId } from '../../../platform/common/http/observing/request-id.ts';
import { FailedAuthenticationLimiter } from '../../rate-limit/failed-authentication.limiter.ts';
import { ApiTokenAuthenticator, type AuthenticApiToken } from './api-token.authenticator.ts';
import { isInRanges } from '../cidr.ts';
import { ApiTokenUsage } from './api-token-usage.ts';

/**
 * Authenticates every call to a handler that is not public, by `Authorization: Token <API_TOKEN>` (the scheme in any
 * case, RFC 9110, section 11.1) or by another method that the handler accepts. It only identifies the caller; the scope
 * guard decides about permissions.
 */
@Injectable()
export class ApiTokenGuard implements CanActivate {
  constructor(
    private readonly authenticator: ApiTokenAuthenticator,
    private readonly usage: ApiTokenUsage,
    private readonly failures: FailedAuthenticationLimiter,
  ) {}

  canActivate(context: ExecutionContext): true | Promise<true> {
    const [request, response] = context.getArgs<[Request, Response]>();
    const access = accessOf(context.getHandler());
    if (access.isPublic || this.admitCached(request)) return true;
    return this.authenticate(request, response, access);
  }

  /** Admits a caller at once if its token is cached, the usual case. Leaves any other caller, and any error, to `authenticate`. */
  private admitCached(request: Request): boolean {
    const [scheme, credentials] = credentialsOf(request.headers.authorization);
    if (!schemesOf(request.path).includes(scheme)) return false;
    const token = this.authenticator.recall(credentials);
    if (!token) return false;
    const caller = this.toCaller(token, request, credentials);
    if (!isAllowed(token, caller)) return false;
    setCaller(request, caller);
    this.usage.record(token.id);
    return true;
  }

  private async authenticate(request: Request, response: Response, access: Access): Promise<true> {
    try {
      await this.admit(tokenOfHeader(request, access) ?? (await secretOfForm(request)), request);
      return true;
    } catch (error) {
      if (wantsBasic(request, access)) offerBasic(error);
      await this.failures.count(error, request, response);
      throw error;
    }
  }

  /**
   * Authenticates a call to a public handler that takes the token elsewhere, with all checks of the guard.
   * @throws ApiTokenInvalid, CredentialsMalformed, AddressNotAllowed; or RateLimited instead
   */
  async authenticateToken(
    given: string,
    request: Request,
    response: Response,
  ): Promise<TokenCaller> {
    try {
      return await this.admit(given, request);
    } catch (error) {
      await this.failures.count(error, request, response);
      throw error;
    }
  }

  /** @throws ApiTokenInvalid, CredentialsMalformed; AddressNotAllowed, recorded as a refusal of a known caller */
  private async admit(given: string, request: Request): Promise<TokenCaller> {
    const token = await this.authenticator.authenticate(requireApiToken(given));
    const caller = this.toCaller(token, request, given);
    setCaller(request, caller);
    requireAddress(token, caller);
    this.usage.record(token.id);
    return caller;
  }

  private async renew(given: string, request: Request): Promise<Caller> {
    const token = await this.authenticator.authenticate(requireApiToken(given));
    const caller = this.toCaller(token, request, given);
    requireAddress(token, caller);
    return caller;
  }

  private toCaller(token: AuthenticApiToken, request: Request, given: string): TokenCaller {
    const { id: apiTokenId, firstTokenId, workspaceId, scopes, range } = token;
    return {
      workspaceId,
      apiTokenId,
      firstTokenId,
      scopes,
      range,
      requestId: requestId(request),
      address: clientAddress(request) ?? null,
      renew: () => this.renew(given, request),
    };
  }
}

function isAllowed({ allowedRanges }: AuthenticApiToken, { address }: Caller): boolean {
  return !allowedRanges || isInRanges(address, allowedRanges);
}

function requireAddress(token: AuthenticApiToken, caller: Caller): void {
  if (!isAllowed(token, caller)) throw new AddressNotAllowed();
}

/** Splits the header into the lower-case scheme and the rest; both are empty if it has another form. */
function credentialsOf(header = ''): [scheme: string, credentials: string] {
  const [, scheme = '', credentials = ''] = /^(\S+) +(\S+)$/.exec(header) ?? [];
  return [scheme.toLowerCase(), credentials];
}

/**
 * Reads the token of the Authorization header; undefined without a header if the handler takes the token in a form.
 * Errors repeat nothing of the header: it may be a token in the wrong place.
 */
function tokenOfHeader(
  { headers, path }: Request,
  { acceptsClientSecret }: Access,
): string | undefined {
  const header = headers.authorization;
  if (!header) {
    if (acceptsClientSecret) return undefined;
    throw new CredentialsMissing();
  }
  const [scheme, credentials] = credentialsOf(header);
  if (schemesOf(path).includes(scheme)) return credentials;
  if (scheme === 'basic' && acceptsClientSecret) return secretOfBasic(credentials);
  throw new CredentialsMalformed();
}

/** @throws CredentialsMalformed for a token of another kind */
function requireApiToken(token: string): string {
  if (!token.startsWith('ugt_')) return token;
  throw new CredentialsMalformed(
    'The request holds a user-group token (ugt_…) where this interface needs an API token (uga_…).',
  );
}

/** Tells whether to offer Basic. A caller that tried a token scheme does not get it, because a browser would open a dialog. */
function wantsBasic({ headers }: Request, { acceptsClientSecret }: Access): boolean {
  return acceptsClientSecret && !/^(token|bearer)\b/i.test(headers.authorization ?? '');
}

/** Lists the schemes of a path: the contract has one; elsewhere clients may also use the standard one. */
function schemesOf(path: string): string[] {
  return path.includes('/api/v1/') ? ['token', 'bearer'] : ['token'];
}
