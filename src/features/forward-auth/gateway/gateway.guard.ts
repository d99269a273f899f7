import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ApiTokenGuard } from '../../../core/api-token/authentication/api-token.guard.ts';
import { authenticateBy } from '../../../platform/common/access/caller.ts';
import { GatewayMisconfigured } from '../forward-auth.errors.ts';

const CREDENTIAL = 'x-gateway-authorization';
const BEARER = /^bearer +(\S+)$/i;

/**
 * Lets the API token of a gateway authenticate a call, from a header of its own: `Authorization` is the viewer's. It
 * runs before the steps of access, and replaces the first of them.
 */
@Injectable()
export class GatewayGuard implements CanActivate {
  private readonly authentication: CanActivate = {
    canActivate: (context) => this.authenticate(...context.getArgs<[Request, Response]>()),
  };

  constructor(private readonly apiTokens: ApiTokenGuard) {}

  canActivate(context: ExecutionContext): true {
    authenticateBy(context.getArgByIndex<Request>(0), this.authentication);
    return true;
  }

  /** @throws GatewayMisconfigured, and the errors of `ApiTokenGuard`, which the filter turns into it */
  private async authenticate(request: Request, response: Response): Promise<true> {
    const given = request.headersDistinct[CREDENTIAL];
    const token = given?.length === 1 ? BEARER.exec(given[0]!)?.[1] : undefined;
    if (token === undefined) {
      throw new GatewayMisconfigured(
        'The gateway must send X-Gateway-Authorization once: the word Bearer, a space, an API token.',
      );
    }
    await this.apiTokens.authenticateToken(token, request, response);
    return true;
  }
}
