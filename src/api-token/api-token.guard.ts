import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { acceptsClientSecret, isPublic } from '../common/access.decorator';
import { type Caller, setCaller } from '../common/caller';
import {
  AddressNotAllowed,
  CredentialsMalformed,
  CredentialsMissing,
  offerBasic,
} from '../common/errors';
import { clientAddress } from '../common/http/client-address';
import { secretOfBasic, secretOfForm } from '../common/http/client-secret';
import { requestId } from '../common/http/request-id';
import { FailedAuthenticationLimiter } from '../rate-limit/failed-authentication.limiter';
import { ApiTokenAuthenticator, type AuthenticApiToken } from './api-token.authenticator';
import { isInRanges } from './cidr';
import { ApiTokenUsage } from './api-token-usage';

/**
 * Stands before every handler that is not public: `Authorization: Token <API_TOKEN>`, the scheme in any case
 * (RFC 9110, section 11.1), or what the handler accepts besides. Says who is calling; what the caller
 * may do is the scope guard's part.
 */
@Injectable()
export class ApiTokenGuard implements CanActivate {
  constructor(
    private readonly authenticator: ApiTokenAuthenticator,
    private readonly usage: ApiTokenUsage,
    private readonly failures: FailedAuthenticationLimiter,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const handler = context.getHandler();
    if (isPublic(handler)) return true;
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    try {
      this.usage.record(await this.authenticate(request, handler));
    } catch (error) {
      if (wantsBasic(request, handler)) offerBasic(error);
      await this.failures.count(error, request, http.getResponse<Response>());
      throw error;
    }
    return true;
  }

  /** @returns the id of the token, when the request has its caller */
  private async authenticate(request: Request, handler: object): Promise<number> {
    const { token, caller } = await this.identify(request, handler);
    setCaller(request, caller);
    requireAddress(token, caller);
    return token.id;
  }

  private async renew(request: Request, handler: object): Promise<Caller> {
    const { token, caller } = await this.identify(request, handler);
    requireAddress(token, caller);
    return caller;
  }

  private async identify(
    request: Request,
    handler: object,
  ): Promise<{ token: AuthenticApiToken; caller: Caller }> {
    const given = tokenOfHeader(request, handler) ?? (await secretOfForm(request));
    const token = await this.authenticator.authenticate(requireApiToken(given));
    const { id: apiTokenId, firstTokenId, workspaceId, scopes } = token;
    const caller: Caller = {
      workspaceId,
      apiTokenId,
      firstTokenId,
      scopes,
      requestId: requestId(request),
      address: clientAddress(request) ?? null,
      renew: () => this.renew(request, handler),
    };
    return { token, caller };
  }
}

function requireAddress({ allowedRanges }: AuthenticApiToken, { address }: Caller): void {
  if (allowedRanges && !isInRanges(address, allowedRanges)) throw new AddressNotAllowed();
}

/**
 * The token of the Authorization header; undefined without one where the handler takes the token in a
 * form. Nothing of the header is repeated in the answer: it may be a token in the wrong place.
 */
function tokenOfHeader({ headers, path }: Request, handler: object): string | undefined {
  const header = headers.authorization;
  if (!header) {
    if (acceptsClientSecret(handler)) return undefined;
    throw new CredentialsMissing();
  }
  const [, scheme = '', credentials = ''] = /^(\S+) +(\S+)$/.exec(header) ?? [];
  const name = scheme.toLowerCase();
  if (schemesOf(path).includes(name)) return credentials;
  if (name === 'basic' && acceptsClientSecret(handler)) return secretOfBasic(credentials);
  throw new CredentialsMalformed(
    'The Authorization header must have the form "Token <API_TOKEN>": the word Token, a space, the API token.',
  );
}

/** @throws CredentialsMalformed for a token of another kind */
function requireApiToken(token: string): string {
  if (!token.startsWith('ugt_')) return token;
  throw new CredentialsMalformed(
    'The request holds a user-group token (ugt_…) where this interface needs an API token (uga_…).',
  );
}

/** Who has tried a token scheme is not asked for Basic: in a browser that would open a dialogue. */
function wantsBasic({ headers }: Request, handler: object): boolean {
  return acceptsClientSecret(handler) && !/^(token|bearer)\b/i.test(headers.authorization ?? '');
}

/** The contract has one scheme; beside it, clients that know only the standard one may use it. */
function schemesOf(path: string): string[] {
  return path.startsWith('/api/v1/') ? ['token', 'bearer'] : ['token'];
}
