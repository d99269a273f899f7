import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { PersonTokens } from '../../api-token/person-tokens.ts';
import type { TokenCaller } from '../../common/caller.ts';
import { SignInFailed, SignInNotGranted } from '../../common/errors.ts';
import { clientAddress } from '../../common/http/client-address.ts';
import { requestId } from '../../common/http/request-id.ts';
import { Config } from '../../config/config.ts';
import { FailedAuthenticationLimiter } from '../../rate-limit/failed-authentication.limiter.ts';
import { RateLimits } from '../../rate-limit/rate-limits.ts';
import { WorkspaceService } from '../../workspace/workspace.service.ts';
import { ConsoleSessionService } from '../console-session.service.ts';
import { ConsoleSite } from '../console-site.ts';
import type { KeptAttempt } from './attempt-cookie.ts';
import { shapeOf, workspacesOf } from './claims.ts';
import { IdentityProvider } from './identity-provider.ts';

/** Begins the session of somebody whom the identity provider has identified. */
@Injectable()
export class PersonSignIn {
  constructor(
    private readonly config: Config,
    private readonly provider: IdentityProvider,
    private readonly people: PersonTokens,
    private readonly workspaces: WorkspaceService,
    private readonly sessions: ConsoleSessionService,
    private readonly site: ConsoleSite,
    private readonly failures: FailedAuthenticationLimiter,
    private readonly limits: RateLimits,
  ) {}

  /**
   * Finishes an attempt, in the workspace that it asks for, or in the first that is granted. What was granted before and is not
   * any more ends, whatever comes of it. Each attempt counts as a failed authentication of its address.
   * @returns the secret of the session
   * @throws SignInFailed, SignInNotGranted, IdentityProviderUnavailable, RateLimited
   */
  async finish(request: Request, response: Response, attempt: KeptAttempt): Promise<string> {
    // Before the provider is asked: whoever makes up attempts must not have it asked without end.
    await this.failures.count(new SignInFailed(), request, response);
    const query = /\?.*/.exec(request.originalUrl)?.[0] ?? '';
    const { person, claims } = await this.provider.finish(query, attempt);
    const granted = workspacesOf(claims, this.config.consoleOpenIdGrants);
    const there = await this.workspaces.list();
    const open = [...granted.keys()].flatMap(
      (name) => there.find((one) => one.name === name) ?? [],
    );
    await this.people.takeAway(
      person,
      open.map(({ id }) => id),
    );
    const workspace = open.find(({ name }) => [undefined, name].includes(attempt.workspace));
    if (!workspace) {
      throw new SignInNotGranted(person.subject, {
        ...shapeOf(claims, this.config.consoleOpenIdGrants),
        // What fits, where it was another workspace that was asked for, or none that is there.
        fitting: [...granted.keys()],
      });
    }
    const scopes = granted.get(workspace.name)!;
    const id = await this.people.give(workspace.id, person, scopes);
    const caller: TokenCaller = {
      workspaceId: workspace.id,
      apiTokenId: id,
      firstTokenId: id,
      scopes: new Set(scopes),
      requestId: requestId(request),
      address: clientAddress(request) ?? null,
      renew: () => Promise.resolve(caller),
    };
    await this.limits.countCall(caller, { isIntrospection: false }, response);
    const { secret } = await this.sessions.begin(caller, {
      previous: this.site.secretHashOf(request) ?? attempt.previous,
      userAgent: request.headers['user-agent'],
    });
    return secret;
  }
}
