import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { type Person, SsoTokens } from '../../../core/api-token/provisioning/sso-tokens.ts';
import type { Scope, TokenCaller } from '../../../platform/common/access/caller.ts';
import { SignInFailed } from '../console.errors.ts';
import { SignInNotGranted } from '../../../core/audit/audit.errors.ts';
import { Gate } from '../../../platform/common/concurrency/gate.ts';
import { clientAddress } from '../../../platform/common/http/parameters/client-address.ts';
import { requestId } from '../../../platform/common/http/observing/request-id.ts';
import { ConsoleSettings } from '../console.settings.ts';
import { FailedAuthenticationLimiter } from '../../../core/rate-limit/failed-authentication.limiter.ts';
import { RateLimits } from '../../../core/rate-limit/rate-limits.ts';
import { WorkspaceService } from '../../../core/workspace/workspace.service.ts';
import { ConsoleSessionService } from '../session/console-session.service.ts';
import { ConsoleSite } from '../console-site.ts';
import type { KeptAttempt } from './attempt-cookie.ts';
import { type Claims, shapeOf, workspacesOf } from './claims.ts';
import { IdentityProvider } from './identity-provider.ts';

@Injectable()
export class PersonSignIn {
  constructor(
    private readonly settings: ConsoleSettings,
    private readonly provider: IdentityProvider,
    private readonly people: SsoTokens,
    private readonly workspaces: WorkspaceService,
    private readonly sessions: ConsoleSessionService,
    private readonly site: ConsoleSite,
    private readonly failures: FailedAuthenticationLimiter,
    private readonly limits: RateLimits,
    private readonly gate: Gate,
  ) {}

  /**
   * Finishes an attempt in the requested workspace, or in the first granted one. Revokes access that is no longer
   * granted, even if the sign-in fails. Each attempt counts as a failed authentication of its address.
   * @returns the secret of the session
   * @throws SignInFailed, SignInNotGranted, IdentityProviderUnavailable, RateLimited
   */
  async finish(request: Request, response: Response, attempt: KeptAttempt): Promise<string> {
    // Counted before the provider is asked, so that forged attempts cannot flood it.
    await this.failures.countGuess(new SignInFailed(), request, response);
    const query = /\?.*/.exec(request.originalUrl)?.[0] ?? '';
    const { person, claims } = await this.provider.finish(query, attempt);
    // Holds no turn while the provider is asked.
    const { workspaceId, id, scopes } = await this.gate.run(person.subject, () =>
      this.give(person, claims, attempt.workspace),
    );
    const caller: TokenCaller = {
      workspaceId,
      apiTokenId: id,
      firstTokenId: id,
      scopes: new Set(scopes),
      range: null,
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

  /** Issues or updates the person's API token of one workspace, and revokes those of workspaces that are no longer granted. */
  private async give(
    person: Person,
    claims: Claims,
    wanted: string | undefined,
  ): Promise<{ workspaceId: number; id: number; scopes: readonly Scope[] }> {
    const grants = this.settings.consoleOidcGrants;
    const granted = workspacesOf(claims, grants);
    const there = await this.workspaces.list();
    const open = [...granted.keys()].flatMap(
      (name) => there.find((one) => one.name === name) ?? [],
    );
    await this.people.takeAway(
      person,
      open.map(({ id }) => id),
    );
    const workspace = open.find(({ name }) => [undefined, name].includes(wanted));
    if (!workspace) {
      throw new SignInNotGranted(person.subject, {
        ...shapeOf(claims, grants),
        // The matching workspaces, if the requested one is another or does not exist.
        fitting: [...granted.keys()],
      });
    }
    const scopes = granted.get(workspace.name)!;
    const id = await this.people.give(workspace.id, person, scopes);
    return { workspaceId: workspace.id, id, scopes };
  }
}
