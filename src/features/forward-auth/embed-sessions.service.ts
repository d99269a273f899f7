import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Caller } from '../../platform/common/access/caller.ts';
import { currentTime } from '../../platform/common/time.ts';
import { embedSessionPage } from './embed-session.page.ts';
import { ViewerRefused, ViewerUnknown } from './forward-auth.errors.ts';
import { fail, type GatewaySettings } from './gateway/gateway-settings.ts';
import { identityHeaders } from './headers/identity-headers.ts';
import { Viewers } from './viewers.service.ts';

/** Keeps other hosts and plain HTTP from setting or reading the cookie (RFC 6265bis). */
const PREFIX = '__Host-';
/** A partitioned cookie is there for one site around the frame, also where third-party cookies are off. */
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=None; Partitioned';

/** Browsers drop a cookie without a word if its name and value are longer together (RFC 6265bis). */
const MAX_COOKIE_LENGTH = 4096;

/** Turns the embed tokens of frames into cookies. */
@Injectable()
export class EmbedSessions {
  constructor(private readonly viewers: Viewers) {}

  /** Sends the page, which only pages of the origin of the settings may frame. @throws GatewayMisconfigured */
  sendPage(settings: GatewaySettings, response: Response): void {
    const { html, policy } = embedSessionPage(requireSession(settings).origin);
    response.setHeader('Content-Security-Policy', policy);
    response.type('html').send(html);
  }

  /**
   * Returns the cookie that has the token until it expires, or that removes it. A user-group token gets none: it may
   * not reach a browser.
   * @throws GatewayMisconfigured, ViewerUnknown, ViewerRefused
   */
  async begin(
    caller: Caller,
    settings: GatewaySettings,
    { headers }: Request,
    token: string | null,
  ): Promise<string> {
    const { cookie } = requireSession(settings);
    if (headers['sec-fetch-site'] !== 'same-origin') {
      throw new ViewerRefused('Only the page of the session itself may begin it.');
    }
    if (token === null) return `${cookie}=; ${ATTRIBUTES}; Max-Age=0`;
    const viewer = await this.viewers.identify(caller, token, settings);
    const { token_type: type, exp = 0 } = viewer;
    if (type !== 'embed_token') throw new ViewerUnknown();
    if (cookie.length + token.length > MAX_COOKIE_LENGTH) {
      throw new ViewerRefused(
        'The token is longer than a cookie can be. Issue one with fewer resources.',
      );
    }
    // The endpoint would refuse a viewer without a value at each request.
    identityHeaders(viewer, settings);
    const seconds = Math.max(0, exp - Math.floor(currentTime() / 1000));
    return `${cookie}=${token}; ${ATTRIBUTES}; Max-Age=${seconds}`;
  }
}

/** @throws GatewayMisconfigured without a cookie of the site alone, or an origin */
function requireSession({ cookie, origin }: GatewaySettings): { cookie: string; origin: string } {
  if (cookie?.startsWith(PREFIX) !== true) {
    return fail(`must name a cookie that begins with ${PREFIX} for a session.`);
  }
  return origin === undefined ? fail('must name an origin for a session.') : { cookie, origin };
}
