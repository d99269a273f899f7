import { Controller, Delete, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ApiTokenGuard } from '../../../core/api-token/authentication/api-token.guard.ts';
import {
  AnyScope,
  type Caller,
  CurrentCaller,
  Public,
} from '../../../platform/common/access/access.decorator.ts';
import { ApiExcludeController } from '../../../platform/common/api-docs.ts';
import { ServedFeatures } from '../../../platform/common/extension/feature.ts';
import { SessionNotFound } from '../console.errors.ts';
import { clientAddress } from '../../../platform/common/http/parameters/client-address.ts';
import { pathParam } from '../../../platform/common/http/parameters/request-params.ts';
import { requestId } from '../../../platform/common/http/observing/request-id.ts';
import { JsonBody } from '../../../platform/common/json/json-body.decorator.ts';
import { RateLimits } from '../../../core/rate-limit/rate-limits.ts';
import type { StoredSession } from './console-session.repository.ts';
import { ConsoleSessionService } from './console-session.service.ts';
import { toSessionView } from './console-session.view.ts';
import { ConsoleSite } from '../console-site.ts';
import { CurrentSession } from './current-session.decorator.ts';
import type { SessionResponse, SessionsResponse } from './dto/console-session-response.dto.ts';
import { SignInDto } from './dto/sign-in.dto.ts';
import { SessionWatches } from './session-watches.ts';

/** Read before the caller is known. */
const SIGN_IN_LIMIT = 16 * 1024;

/** Operations of the console's page; docs/guides/console.md describes it. */
@ApiExcludeController()
@Controller('console')
export class ConsoleSessionController {
  constructor(
    private readonly sessions: ConsoleSessionService,
    private readonly watches: SessionWatches,
    private readonly site: ConsoleSite,
    private readonly apiTokens: ApiTokenGuard,
    private readonly limits: RateLimits,
    private readonly served: ServedFeatures,
  ) {}

  @Post('session')
  @HttpCode(200)
  @Public({ gated: false })
  async signIn(
    @JsonBody(SignInDto, { limit: SIGN_IN_LIMIT }) { api_token: apiToken }: SignInDto,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SessionResponse> {
    const caller = await this.apiTokens.authenticateToken(apiToken, request, response);
    await this.limits.countCall(caller, { isIntrospection: false }, response);
    const previous = this.site.secretHashOf(request);
    const userAgent = request.headers['user-agent'];
    const { session, secret } = await this.sessions.begin(caller, { previous, userAgent });
    response.setHeader('Set-Cookie', this.site.toCookie(request, secret));
    return { success: 1, session: toSessionView(session, this.served) };
  }

  @Get('session')
  @AnyScope({ inRange: true, gated: false })
  get(@CurrentSession() session: StoredSession): SessionResponse {
    return { success: 1, session: toSessionView(session, this.served) };
  }

  /** Public, so that a rate limit or the end of the API token cannot prevent a sign-out. */
  @Delete('session')
  @Public({ gated: false })
  async signOut(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ success: 1 }> {
    const secret = this.site.secretOf(request);
    const address = clientAddress(request) ?? null;
    if (secret !== undefined) {
      await this.sessions.signOut(secret, { requestId: requestId(request), address });
    }
    response.setHeader('Set-Cookie', this.site.toCookie(request, undefined));
    return { success: 1 };
  }

  @Get('session/watch')
  @AnyScope({ inRange: true, gated: false })
  watch(@CurrentSession() session: StoredSession, @Res() response: Response): Promise<void> {
    return this.watches.begin(session, response);
  }

  @Get('sessions')
  @AnyScope({ inRange: true })
  list(
    @CurrentCaller() caller: Caller,
    @CurrentSession() { id }: StoredSession,
  ): Promise<SessionsResponse> {
    return this.sessions.list(caller, id);
  }

  @Delete('sessions/:id')
  @AnyScope({ inRange: true, gated: 'ending' })
  async end(
    @CurrentCaller() caller: Caller,
    @SessionIdParam() id: number,
  ): Promise<{ success: 1 }> {
    await this.sessions.end(caller, id);
    return { success: 1 };
  }
}

/** The id of a session, which has more digits than other ids. */
function SessionIdParam(): ParameterDecorator {
  return pathParam('id', {
    description: 'The id of the session.',
    schema: { type: 'integer', minimum: 1 },
    example: 5377108433215711,
    read: (text) => {
      const id = Number(text);
      if (!/^[1-9]\d*$/.test(text) || !Number.isSafeInteger(id)) throw new SessionNotFound();
      return id;
    },
  });
}
