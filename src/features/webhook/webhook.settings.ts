import { cidrs } from '../../platform/config/address-readers.ts';
import { onOff } from '../../platform/config/readers.ts';
import { FromEnv } from '../../platform/config/variable.ts';

/** The settings of webhooks; how long their events are kept is one of events. */
export class WebhookSettings {
  @FromEnv('WEBHOOK_DELIVERY', {
    group: 'Webhooks',
    about:
      '`on` lets this process send webhooks; `off` leaves them to other processes of the installation, and also the events that no caller causes: expiry reminders, and mappings that a deletion has broken.',
    read: onOff,
  })
  webhookDelivery = true;

  @FromEnv('WEBHOOK_ALLOW_HTTP', {
    about:
      '`on` also accepts webhook endpoints at `http://…`, where messages can be read and changed in transit.',
    read: onOff,
  })
  webhookAllowHttp = false;

  @FromEnv('WEBHOOK_ALLOWED_CIDRS', {
    about:
      'Non-public addresses and CIDR ranges, separated by commas, that webhooks may be sent to, such as `10.1.2.0/24`. Any workspace can then make this process call them.',
    defaultText: 'unset (only public addresses)',
    read: cidrs,
  })
  webhookAllowedCidrs: string[] = [];
}
