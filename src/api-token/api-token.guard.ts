import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { isPublic } from '../common/access.decorator';
import { type Caller, setCaller } from '../common/caller';
import { AddressNotAllowed, CredentialsMalformed, CredentialsMissing } from '../common/errors';
import { clientAddress } from '../common/http/client-address';
import { requestId } from '../common/http/request-id';
import { FailedAuthenticationLimiter } from '../rate-limit/failed-authentication.limiter';
import { ApiTokenAuthenticator, type AuthenticApiToken } from './api-token.authenticator';
import { isInRanges } from './cidr';
import { ApiTokenUsage } from './api-token-usage';

/**
 * Stands before every handler that is not public: `Authorization: Token <API_TOKEN>`, the scheme in any case
 * (RFC 9110, section 11.1). Says who is calling; what the caller may do is the scope guard's part.
 */
@Injectable()
export class ApiTokenGuard implements CanActivate {
  constructor(
    private readonly authenticator: ApiTokenAuthenticator,
    private readonly usage: ApiTokenUsage,
    private readonly failures: FailedAuthenticationLimiter,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (isPublic(context.getHandler())) return true;
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    try {
      this.usage.record(await this.authenticate(request));
    } catch (error) {
      await this.failures.count(error, request, http.getResponse<Response>());
      throw error;
    }
    return true;
  }

  /** @returns the id of the token, when the request has its caller */
  private async authenticate(request: Request): Promise<number> {
    const { token, caller } = await this.identify(request);
    setCaller(request, caller);
    requireAddress(token, caller);
    return token.id;
  }

  private async renew(request: Request): Promise<Caller> {
    const { token, caller } = await this.identify(request);
    requireAddress(token, caller);
    return caller;
  }

  private async identify(request: Request): Promise<{ token: AuthenticApiToken; caller: Caller }> {
    const token = await this.authenticator.authenticate(apiTokenOf(request));
    const { id: apiTokenId, workspaceId, scopes } = token;
    const caller: Caller = {
      workspaceId,
      apiTokenId,
      scopes,
      requestId: requestId(request),
      address: clientAddress(request) ?? null,
      renew: () => this.renew(request),
    };
    return { token, caller };
  }
}

function requireAddress({ allowedRanges }: AuthenticApiToken, { address }: Caller): void {
  if (allowedRanges && !isInRanges(address, allowedRanges)) throw new AddressNotAllowed();
}

/** Nothing of the header is repeated in the answer: it may be a token in the wrong place. */
function apiTokenOf(request: Request): string {
  const header = request.headers.authorization;
  if (!header) throw new CredentialsMissing();
  const [, scheme = '', token = ''] = /^(\S+) +(\S+)$/.exec(header) ?? [];
  if (!schemesOf(request.path).includes(scheme.toLowerCase())) {
    throw new CredentialsMalformed(
      'The Authorization header must have the form "Token <API_TOKEN>": the word Token, a space, the API token.',
    );
  }
  if (token.startsWith('ugt_')) {
    throw new CredentialsMalformed(
      'The Authorization header holds a user-group token (ugt_…); this interface needs an API token (uga_…).',
    );
  }
  return token;
}

/** The contract has one scheme; beside it, clients that know only the standard one may use it. */
function schemesOf(path: string): string[] {
  return path.startsWith('/api/v1/') ? ['token', 'bearer'] : ['token'];
}
