import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { ConsoleNotSecure, CrossSiteRequest } from '../common/errors.ts';
import { hashToken } from '../common/secrets.ts';
import { Config } from '../config/config.ts';

/** A name and any port of this machine itself: what a browser calls there crosses no network. */
const LOCAL_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;
const OF_PROXIES = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'];
const READING = ['GET', 'HEAD'];
/** The name of the cookie that holds the secret of the session. */
const SESSION = 'console';
/** 256 bits in base64url. */
const SECRET = /^[\w-]{43}$/;

/** Where the page of the console is, by which its own calls and its cookie are known. */
interface Site {
  origin: string;
  /** Of its cookies: it keeps other hosts and plain HTTP from setting them (RFC 6265bis). */
  prefix: '__Host-' | '';
}

/** Tells the calls of the console’s own page from those of others, and keeps its cookies. */
@Injectable()
export class ConsoleSite {
  /** Null where PUBLIC_URL does not keep the cookie from others on the way; undefined where it is unset. */
  private readonly configured: Site | null | undefined;

  constructor({ publicUrl }: Config) {
    this.configured = publicUrl === undefined ? undefined : siteOfUrl(new URL(publicUrl));
  }

  /**
   * Admits what the page itself calls, and reads by hand. A browser says by `Sec-Fetch-Site` where a call
   * comes from, and no page can change that; one that does not say it names the `Origin` of a change.
   * @throws CrossSiteRequest; ConsoleNotSecure for a change where no cookie can be kept
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

  /** Whether the browser says that another site has made the call, or a link there has led to it. */
  isFromElsewhere({ headers }: Request): boolean {
    return ['cross-site', 'same-site'].includes(String(headers['sec-fetch-site']));
  }

  /** What the cookie of the session holds; undefined without one, or for anything else. */
  secretOf(request: Request): string | undefined {
    return this.cookiesOf(request, SESSION).find((value) => SECRET.test(value));
  }

  /** The SHA-256 of that, by which the session is known. */
  secretHashOf(request: Request): Buffer | undefined {
    const secret = this.secretOf(request);
    return secret === undefined ? undefined : hashToken(secret);
  }

  /**
   * The cookie that holds the secret, for as long as the browser is open; or takes it away.
   * @throws ConsoleNotSecure
   */
  toCookie(request: Request, secret: string | undefined): string {
    return this.setCookie(request, SESSION, secret, ['SameSite=Strict']);
  }

  /** What the browser keeps by this name for the console alone. */
  cookiesOf(request: Request, name: string): string[] {
    const site = this.siteOf(request);
    if (!site) return [];
    return cookiesOf(request.headers.cookie, site.prefix + name);
  }

  /**
   * The cookie that has the browser keep a value; or takes it away.
   * @param attributes beside those that every cookie of the console has
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
      // Safari keeps no cookie of this kind that comes over plain HTTP, not even from localhost.
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

/** The values of the cookies of this name. */
function cookiesOf(header = '', name: string): string[] {
  return header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}
