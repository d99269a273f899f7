import { Injectable } from '@nestjs/common';
import { isIP } from 'node:net';
import { ValidationFailed } from '../../../platform/common/problem/errors.ts';
import { WebhookSettings } from '../webhook.settings.ts';
import { AddressRules } from '../sending/address-rules.ts';

/** Validates URLs of endpoints. Each attempt checks the address behind the name. */
@Injectable()
export class EndpointUrls {
  private readonly rules: AddressRules;

  constructor(private readonly settings: WebhookSettings) {
    this.rules = new AddressRules(settings.webhookAllowedCidrs);
  }

  /** @throws ValidationFailed for a URL that would never be used */
  requireAcceptable(url: string): void {
    const { protocol, hostname } = new URL(url);
    const host = hostname.replace(/^\[|\]$/g, '');
    const refuse = (detail: string): never => {
      throw new ValidationFailed([{ pointer: '/url', code: 'not_acceptable', detail }]);
    };
    if (protocol === 'http:' && !this.settings.webhookAllowHttp) {
      refuse('The url must begin with https://.');
    }
    if (isIP(host) !== 0 && !this.rules.permits(host)) {
      refuse('The url names an address that webhooks are not sent to.');
    }
  }
}
