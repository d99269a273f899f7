import type { Config } from '../../platform/config/config.ts';
import { onOff } from '../../platform/config/readers.ts';
import { headerText } from '../../platform/config/secret-readers.ts';
import { secureUrl } from '../../platform/config/url-readers.ts';
import type { Settings } from '../../platform/config/settings.ts';
import { ConfigError, FromEnv } from '../../platform/config/variable.ts';
import { type ClaimGrant, claimGrants } from './claim-grants.ts';

/** The settings of the console. */
export class ConsoleSettings implements Settings {
  @FromEnv('CONSOLE', {
    group: 'Console',
    about:
      '`on` serves the console for operators below `/console`, and redirects `/` there; `off` disables it. See [Console](docs/guides/console.md).',
    read: onOff,
  })
  console = true;

  /** Directory of the console's page, if not that of the build; not a variable. */
  consoleDirectory?: string;

  @FromEnv('CONSOLE_OIDC_ISSUER', {
    about:
      'OpenID Connect provider for signing in to the console, such as `https://id.example.com/realms/ops`, with or without a trailing slash as the provider spells it. Register `PUBLIC_URL` followed by `/console/sign-in/openid/callback` there as a redirect URI.',
    defaultText: 'unset (only API tokens)',
    read: secureUrl,
  })
  consoleOidcIssuer?: string;

  @FromEnv('CONSOLE_OIDC_CLIENT_ID', {
    about: 'Client id of the console at the identity provider.',
    read: headerText,
  })
  consoleOidcClientId?: string;

  @FromEnv('CONSOLE_OIDC_CLIENT_SECRET', {
    about: 'Client secret of the console at the identity provider; unset for a public client.',
    secret: true,
    read: headerText,
  })
  consoleOidcClientSecret?: string;

  @FromEnv('CONSOLE_OIDC_SCOPE', {
    about: 'Scopes requested from the identity provider, separated by spaces.',
    read: openIdScope,
  })
  consoleOidcScope = 'openid email';

  @FromEnv('CONSOLE_OIDC_GRANTS', {
    about:
      'Grants of scopes to people: a JSON array such as `[{"claim":"groups","value":"operators","workspace":"default","scopes":["user-groups:read"]}]`. `"claim":"realm_access.roles"` names a claim within another, and `"prefix"` in place of `"value"` matches every value with that beginning. A person who matches several grants of a workspace has the scopes of all.',
    file: true,
    read: claimGrants,
  })
  consoleOidcGrants: ClaimGrant[] = [];

  requireConsistent({ publicUrl }: Config): void {
    if (this.consoleOidcIssuer === undefined) return;
    const needed = {
      PUBLIC_URL: publicUrl,
      CONSOLE_OIDC_CLIENT_ID: this.consoleOidcClientId,
      CONSOLE_OIDC_GRANTS: this.consoleOidcGrants[0],
    };
    const missing = Object.entries(needed).find(([, value]) => value === undefined);
    if (missing) throw new ConfigError(`${missing[0]} must be set for CONSOLE_OIDC_ISSUER.`);
  }
}

/** Reads scopes of OpenID Connect, which must include `openid`. */
function openIdScope(value: string): string {
  if (/^[\x21-\x7e ]{1,1000}$/.test(value) && value.split(' ').includes('openid')) return value;
  throw new ConfigError('must name scopes of the identity provider, openid among them.');
}
