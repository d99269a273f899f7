import { ApiHeader } from '../../../platform/common/api-docs.ts';
import { requestParam } from '../../../platform/common/http/parameters/request-params.ts';
import { fail, gatewaySettingsOf } from './gateway-settings.ts';

/** The security scheme of the calls of gateways. */
export const GATEWAY_SCHEME = 'GatewayToken';

const SETTINGS = 'x-gateway-settings';

/** Parameter decorator: the settings that the gateway sends, once. @throws GatewayMisconfigured */
export function SettingsOfGateway(): ParameterDecorator {
  return requestParam(
    ({ headersDistinct }) => {
      const given = headersDistinct[SETTINGS];
      return given?.length === 1 ? gatewaySettingsOf(given[0]!) : fail('must be sent once.');
    },
    ApiHeader({
      name: 'X-Gateway-Settings',
      description:
        'A form of at most 2 KiB: `audience`, and if wanted `origin`, `schema`, `cookie` and up to 20 headers as `X-Name=source`.',
      required: true,
      schema: { type: 'string', maxLength: 2048 },
      example: 'audience=dashboards&cookie=__Host-group&schema=sales&X-Region=variables.region',
    }),
  );
}
