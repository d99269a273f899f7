import { Injectable } from '@nestjs/common';
import { isIP } from 'node:net';
import { ValidationFailed } from '../../common/errors.ts';
import { Config } from '../../config/config.ts';
import { AddressRules } from '../sending/address-rules.ts';

/** Says where endpoints may be; what a name leads to is judged by each attempt. */
@Injectable()
export class EndpointUrls {
  private readonly rules: AddressRules;

  constructor(private readonly config: Config) {
    this.rules = new AddressRules(config.webhookAllowedCidrs);
  }

  /** @throws ValidationFailed for what would never be sent to */
  requireAcceptable(url: string): void {
    const { protocol, hostname } = new URL(url);
    const host = hostname.replace(/^\[|\]$/g, '');
    const refuse = (detail: string): never => {
      throw new ValidationFailed([{ pointer: '/url', code: 'not_acceptable', detail }]);
    };
    if (protocol === 'http:' && this.config.webhookAllowHttp === 'off') {
      refuse('The url must begin with https://.');
    }
    if (isIP(host) !== 0 && !this.rules.permits(host)) {
      refuse('The url names an address that webhooks are not sent to.');
    }
  }
}
