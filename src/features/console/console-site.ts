import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { ConsoleNotSecure, CrossSiteRequest } from './console.errors.ts';
import { hashToken } from '../../platform/common/secret/secrets.ts';
import { Config } from '../../platform/config/config.ts';
import { cookieValues } from '../../platform/common/http/parameters/cookies.ts';

/** A name of this machine itself, with any port: calls to it cross no network. */
const LOCAL_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;
const OF_PROXIES = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'];
const READING = ['GET', 'HEAD'];
const SESSION = 'console';
/** 256 bits in base64url. */
const SECRET = /^[\w-]{43}$/;

/** The site of the page, by which its own calls and its cookie are recognised. */
interface Site {
  origin: string;
  /** The prefix of its cookies, which keeps other hosts and plain HTTP from setting them (RFC 6265bis). */
  prefix: '__Host-' | '';
}

/** Distinguishes calls of the console’s own page from calls of other sites, and sets its cookies. */
@Injectable()
export class ConsoleSite {
  /** Null if PUBLIC_URL does not protect the cookie in transit; undefined if it is unset. */
  private readonly configured: Site | null | undefined;

  constructor({ publicUrl }: Config) {
    this.configured = publicUrl === undefined ? undefined : siteOfUrl(new URL(publicUrl));
  }

  /**
   * Admits calls of the page itself, and reads by hand. Browsers send the origin of a call in `Sec-Fetch-Site`, which
   * no page can change; a browser without it sends `Origin` with a change.
   * @throws CrossSiteRequest; ConsoleNotSecure for a change if the site cannot have a cookie
   */
  requireOwnPage(request: Request): void {
    const { 'sec-fetch-site': from, origin } = request.headers;
    if (READING.includes(request.method)) {
      if (this.isFromElsewhere(request)) throw new CrossSiteRequest();
      return;
    }
    const site = this.siteOf(request);
    if (!site) throw new ConsoleNotSecure();
    const isOwn = from === 'same-origin' || (from === undefined && origin !== undefined);
    if (!isOwn || (origin ?? site.origin) !== site.origin) throw new CrossSiteRequest();
  }

  /** Tells whether the browser says that another site made the call or linked to it. */
  isFromElsewhere({ headers }: Request): boolean {
    return ['cross-site', 'same-site'].includes(String(headers['sec-fetch-site']));
  }

  /** Returns the secret in the session's cookie; undefined without a well-formed one. */
  secretOf(request: Request): string | undefined {
    return this.cookiesOf(request, SESSION).find((value) => SECRET.test(value));
  }

  secretHashOf(request: Request): Buffer | undefined {
    const secret = this.secretOf(request);
    return secret === undefined ? undefined : hashToken(secret);
  }

  /**
   * Returns the cookie with the secret, which lasts until the browser closes; or the one that removes it.
   * @throws ConsoleNotSecure
   */
  toCookie(request: Request, secret: string | undefined): string {
    return this.setCookie(request, SESSION, secret, ['SameSite=Strict']);
  }

  cookiesOf(request: Request, name: string): string[] {
    const site = this.siteOf(request);
    return site ? cookieValues(request.headers.cookie, `${site.prefix}${name}`) : [];
  }

  /**
   * Returns the cookie that stores a value; or the one that removes it.
   * @param attributes attributes in addition to those of every cookie of the console
   * @throws ConsoleNotSecure
   */
  setCookie(
    request: Request,
    name: string,
    value: string | undefined,
    attributes: readonly string[],
  ): string {
    const site = this.siteOf(request);
    if (!site) throw new ConsoleNotSecure();
    return [
      `${site.prefix}${name}=${value ?? ''}`,
      'Path=/',
      // Safari stores no such cookie over plain HTTP, not even from localhost.
      ...(site.prefix === '' ? [] : ['Secure']),
      'HttpOnly',
      ...(value === undefined
        ? [...attributes.filter((one) => !one.startsWith('Max-Age=')), 'Max-Age=0']
        : attributes),
    ].join('; ');
  }

  private siteOf({ headers }: Request): Site | null {
    if (this.configured !== undefined) return this.configured;
    // A proxy may name this machine in Host, whatever browsers call it.
    if (OF_PROXIES.some((name) => headers[name] !== undefined)) return null;
    const { host = '' } = headers;
    return LOCAL_HOST.test(host) ? localSite(host.toLowerCase()) : null;
  }
}

function siteOfUrl({ protocol, host, origin }: URL): Site | null {
  if (protocol === 'https:') return { origin, prefix: '__Host-' };
  return LOCAL_HOST.test(host) ? localSite(host) : null;
}

function localSite(host: string): Site {
  return { origin: `http://${host}`, prefix: '' };
}
