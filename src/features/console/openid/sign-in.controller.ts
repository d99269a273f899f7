import { Controller, Get, Inject, Logger, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { isAllowedFrom } from '../../../core/api-token/api-token.rules.ts';
import { Public } from '../../../platform/common/access/access.decorator.ts';
import { ApiExcludeController } from '../../../platform/common/api-docs.ts';
import { ServedFeatures } from '../../../platform/common/extension/feature.ts';
import { RouteNotFound } from '../../../platform/common/problem/errors.ts';
import type { ServiceError } from '../../../platform/common/problem/problem.ts';
import { SignInFailed } from '../console.errors.ts';
import { SignInNotGranted } from '../../../core/audit/audit.errors.ts';
import { noteProblem } from '../../../platform/common/http/responses/respond-problem.ts';
import { QueryOf } from '../../../platform/common/http/parameters/request-params.ts';
import { clientAddress } from '../../../platform/common/http/parameters/client-address.ts';
import { requestId } from '../../../platform/common/http/observing/request-id.ts';
import { toServiceError } from '../../../platform/common/problem/problem.filter.ts';
import { RefusalObserver } from '../../../platform/common/problem/refusal-observer.ts';
import { redactTokens } from '../../../platform/common/secret/secrets.ts';
import { ConsoleSessionService } from '../session/console-session.service.ts';
import { ConsoleSite } from '../console-site.ts';
import type { SessionView } from '../session/dto/console-session-response.dto.ts';
import { toSessionView } from '../session/console-session.view.ts';
import { isAlive } from '../session/session-life.ts';
import { AttemptCookie } from './attempt-cookie.ts';
import { BeginSignInDto } from './begin-sign-in.dto.ts';
import { IdentityProvider } from './identity-provider.ts';
import { PersonSignIn } from './person-sign-in.ts';

const PAGE_FROM_BEGIN = '../';
const PAGE_FROM_CALLBACK = '../../';
const MAX_REASON_LENGTH = 500;

interface SignInResponse {
  success: 1;
  signed_in: boolean;
  /** Null as well where the API token may not be used from. */
  session: SessionView | null;
  ways: ('api_token' | 'openid')[];
}

/** Sign-in by OpenID Connect. A browser is redirected through it, so errors redirect it to the page, too. */
@ApiExcludeController()
@Controller('console/sign-in')
export class SignInController {
  private readonly logger = new Logger(SignInController.name);

  constructor(
    private readonly provider: IdentityProvider,
    private readonly people: PersonSignIn,
    private readonly attempts: AttemptCookie,
    private readonly site: ConsoleSite,
    private readonly sessions: ConsoleSessionService,
    private readonly served: ServedFeatures,
    @Inject(RefusalObserver) private readonly refusals: RefusalObserver,
  ) {}

  /** Tells whether the browser has a session, and which ways to sign in there are. */
  @Get()
  @Public({ gated: false })
  async getState(@Req() request: Request): Promise<SignInResponse> {
    const secret = this.site.secretOf(request);
    const found = secret === undefined ? undefined : await this.sessions.find(secret);
    const session = found && isAlive(found) ? found : undefined;
    return {
      success: 1,
      signed_in: session !== undefined,
      session:
        session && isAllowedFrom(clientAddress(request) ?? null, session)
          ? toSessionView(session, this.served)
          : null,
      ways: ['api_token', ...(this.provider.isConfigured ? (['openid'] as const) : [])],
    };
  }

  @Get('openid')
  @Public({ gated: false })
  async begin(
    @QueryOf(BeginSignInDto) { workspace, place }: BeginSignInDto,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.lead(request, response, PAGE_FROM_BEGIN, async () => {
      // Another site must not replace the existing session: the page asks first.
      if (this.site.isFromElsewhere(request)) {
        const asked = new URLSearchParams({
          ...(workspace && { workspace }),
          ...(place && { place }),
        });
        return `${PAGE_FROM_BEGIN}#/sign-in?${asked.toString()}`;
      }
      const { url, attempt } = await this.provider.begin();
      const previous = this.site.secretHashOf(request);
      const cookie = this.attempts.toCookie(request, { ...attempt, workspace, place, previous });
      response.setHeader('Set-Cookie', cookie);
      return url.href;
    });
  }

  @Get('openid/callback')
  @Public({ gated: false })
  async finish(@Req() request: Request, @Res() response: Response): Promise<void> {
    await this.lead(request, response, PAGE_FROM_CALLBACK, async () => {
      const attempt = this.attempts.of(request);
      // Removed in any case: an attempt is finished once.
      const forgotten = this.attempts.toCookie(request, undefined);
      response.setHeader('Set-Cookie', forgotten);
      const secret = await this.people.finish(request, response, attempt);
      response.setHeader('Set-Cookie', [forgotten, this.site.toCookie(request, secret)]);
      return attempt.place ? `${PAGE_FROM_CALLBACK}#${attempt.place}` : PAGE_FROM_CALLBACK;
    });
  }

  /** Redirects the browser to the result of `work`; on an error to the page, which shows the reason. */
  private async lead(
    request: Request,
    response: Response,
    page: string,
    work: () => Promise<string>,
  ): Promise<void> {
    if (!this.provider.isConfigured) throw new RouteNotFound();
    let place: string;
    try {
      place = await work();
    } catch (thrown) {
      const error = toServiceError(thrown);
      noteProblem(response, error);
      this.log(error, request);
      const why = new URLSearchParams({ error: error.spec.code, request_id: requestId(request) });
      place = `${page}#/sign-in?${why.toString()}`;
    }
    response.status(302).setHeader('Location', place).end();
  }

  private log(error: ServiceError, request: Request): void {
    if (error.spec.status === 403) this.refusals.record(error, request);
    const { level, code } = error.spec;
    const line = { msg: code, request_id: requestId(request) };
    if (error instanceof SignInNotGranted) {
      this.logger.warn({ ...line, subject: error.subject, ...error.why });
    } else if (error instanceof SignInFailed) {
      // Anybody can cause an error without a cause: the browser had no attempt.
      if (error.cause !== undefined) this.logger.warn({ ...line, reason: reasonOf(error.cause) });
    } else if (level) {
      this.logger[level]({ ...line, err: error.cause });
    }
  }
}

/** Uses the messages of the errors only: their other fields may contain claims or a code. */
function reasonOf(thrown: unknown): string {
  const words: unknown[] = [];
  for (let at = thrown; at instanceof Error; at = at.cause) {
    const { message, error, error_description } = at as Error & Record<string, unknown>;
    words.push(message, error, error_description);
  }
  const text = words.filter((one) => typeof one === 'string' && one !== '').join(': ');
  return redactTokens(text).slice(0, MAX_REASON_LENGTH);
}
