import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { SCOPE_METADATA } from '../common/access.decorator';
import { requireScope, type Scope, setCaller } from '../common/caller';
import { CredentialsMalformed, CredentialsMissing } from '../common/errors';
import { ApiTokenAuthenticator } from './api-token.authenticator';
import { ApiTokenUsage } from './api-token-usage';

/**
 * Stands before every handler: `Authorization: Token <API_TOKEN>` (the scheme in any case, RFC 9110
 * section 11.1) with the scope the handler declares. A handler that declares none is closed.
 */
@Injectable()
export class ApiTokenGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly authenticator: ApiTokenAuthenticator,
    private readonly usage: ApiTokenUsage,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const scope = this.reflector.get<Scope | undefined>(SCOPE_METADATA, context.getHandler());
    if (scope === undefined) {
      const handler = `${context.getClass().name}.${context.getHandler().name}`;
      throw new Error(`${handler} declares no scope and is therefore closed`);
    }
    const request = context.switchToHttp().getRequest<Request>();
    const caller = await this.authenticator.authenticate(apiTokenOf(request));
    this.usage.record(caller.apiTokenId);
    requireScope(caller, scope);
    setCaller(request, caller);
    return true;
  }
}

/** Nothing of the header is repeated in the answer: it may be a token in the wrong place. */
function apiTokenOf(request: Request): string {
  const header = request.headers.authorization;
  if (!header) throw new CredentialsMissing();
  const [, scheme = '', token = ''] = /^(\S+) +(\S+)$/.exec(header) ?? [];
  if (scheme.toLowerCase() !== 'token') {
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
