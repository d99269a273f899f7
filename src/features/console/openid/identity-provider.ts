import { Injectable } from '@nestjs/common';
import type { Configuration } from 'openid-client';
import type { Person } from '../../../core/api-token/provisioning/sso-tokens.ts';
import { IdentityProviderUnavailable, SignInFailed } from '../console.errors.ts';
import { handled } from '../../../platform/common/concurrency/handled.ts';
import { redactTokens } from '../../../platform/common/secret/secrets.ts';
import { Config } from '../../../platform/config/config.ts';
import { ConsoleSettings } from '../console.settings.ts';
import type { Claims } from './claims.ts';

const TIMEOUT_SECONDS = 5;
/** OpenID Connect Core 1.0, section 2. */
const SUBJECT = /^[\x20-\x7e]{1,255}$/;

/** The data of a sign-in attempt until the provider redirects the browser back. */
export interface SignInAttempt {
  state: string;
  nonce: string;
  verifier: string;
}

/**
 * The identity provider: OpenID Connect Core 1.0 with authorization code and PKCE (RFC 7636). The first sign-in loads
 * the library and discovers the provider.
 */
@Injectable()
export class IdentityProvider {
  private known: Promise<Configuration> | undefined;

  constructor(
    private readonly config: Config,
    private readonly settings: ConsoleSettings,
  ) {}

  get isConfigured(): boolean {
    return this.settings.consoleOidcIssuer !== undefined;
  }

  get callbackUrl(): string {
    return `${this.config.publicUrl}/console/sign-in/openid/callback`;
  }

  /**
   * Begins a sign-in.
   * @returns the URL to redirect the browser to, and the attempt to store
   * @throws IdentityProviderUnavailable
   */
  async begin(): Promise<{ url: URL; attempt: SignInAttempt }> {
    const openid = await import('openid-client');
    const provider = await this.discover();
    const attempt = {
      state: openid.randomState(),
      nonce: openid.randomNonce(),
      verifier: openid.randomPKCECodeVerifier(),
    };
    const url = openid.buildAuthorizationUrl(provider, {
      redirect_uri: this.callbackUrl,
      scope: this.settings.consoleOidcScope,
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(attempt.verifier),
      code_challenge_method: 'S256',
    });
    return { url, attempt };
  }

  /**
   * Identifies the person with the provider.
   * @param query the query that the provider has added to the callback
   * @throws SignInFailed, IdentityProviderUnavailable
   */
  async finish(query: string, attempt: SignInAttempt): Promise<{ person: Person; claims: Claims }> {
    const openid = await import('openid-client');
    const provider = await this.discover();
    const url = new URL(this.callbackUrl);
    url.search = query;
    try {
      const response = await openid.authorizationCodeGrant(provider, url, {
        expectedState: attempt.state,
        expectedNonce: attempt.nonce,
        pkceCodeVerifier: attempt.verifier,
        idTokenExpected: true,
      });
      const own = response.claims()!;
      const { iss, sub } = own;
      if (!SUBJECT.test(sub)) throw new Error('the subject is not a valid OpenID Connect subject');
      const info = provider.serverMetadata().userinfo_endpoint
        ? await openid.fetchUserInfo(provider, response.access_token, sub)
        : {};
      const claims = together(own, info);
      return { person: { subject: `${iss}#${sub}`, name: nameOf(claims) }, claims };
    } catch (error) {
      throw new SignInFailed(error);
    }
  }

  /** @throws IdentityProviderUnavailable, after which the next call tries again */
  private async discover(): Promise<Configuration> {
    const asked = (this.known ??= handled(this.ask()));
    try {
      return await asked;
    } catch (error) {
      if (this.known === asked) this.known = undefined;
      throw new IdentityProviderUnavailable(otherIssuer(error, this.settings) ?? error);
    }
  }

  private async ask(): Promise<Configuration> {
    const openid = await import('openid-client');
    const { consoleOidcIssuer, consoleOidcClientId, consoleOidcClientSecret } = this.settings;
    const issuer = new URL(consoleOidcIssuer!);
    // The settings allow plain HTTP on this machine only.
    const isLocal = issuer.protocol === 'http:';
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- marked so only to stand out
    const { allowInsecureRequests: allowPlainHttp } = openid;
    return openid.discovery(
      issuer,
      consoleOidcClientId!,
      undefined,
      consoleOidcClientSecret === undefined
        ? openid.None()
        : openid.ClientSecretBasic(consoleOidcClientSecret),
      {
        timeout: TIMEOUT_SECONDS,
        execute: [openid.enableNonRepudiationChecks, ...(isLocal ? [allowPlainHttp] : [])],
      },
    );
  }
}

/** Returns an error with the provider's own issuer if it differs from the setting. */
function otherIssuer(thrown: unknown, { consoleOidcIssuer }: ConsoleSettings): Error | undefined {
  const { attribute, body } = Object((thrown as Error).cause) as Record<string, unknown>;
  if (attribute !== 'issuer') return undefined;
  const { issuer } = Object(body) as Claims;
  return new Error(
    `CONSOLE_OIDC_ISSUER is ${consoleOidcIssuer}, and the provider calls itself ${String(issuer)}: each character has to be the same`,
  );
}

/** Claims signed for this attempt take precedence; an address and whether it is verified come from one source. */
function together(own: Claims, info: Claims): Claims {
  const { email, email_verified } = 'email' in own ? own : info;
  return { ...info, ...own, email, email_verified };
}

/** Returns a name to show: nothing that people can write themselves and that could be the address of another. */
function nameOf(claims: Claims): string {
  const { email, email_verified, preferred_username, name, sub } = claims;
  const own = [preferred_username, name].map(readable).filter((one) => !one.includes('@'));
  const verified = email_verified === true ? readable(email) : '';
  return [verified, ...own, readable(sub)].find((one) => one !== '')!;
}

function readable(name: unknown): string {
  if (typeof name !== 'string') return '';
  return redactTokens([...name.replace(/\p{C}/gu, '').trim()].slice(0, 100).join(''));
}
