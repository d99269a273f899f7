import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '../common/api-docs.ts';
import { Public } from '../common/access.decorator.ts';
import { PublicUrlUnset } from '../common/errors.ts';
import { ApiPublicProblems } from '../common/problem.dto.ts';
import { Config } from '../config/config.ts';
import { AuthorizationServer } from './dto/authorization-server.dto.ts';

@ApiTags('Introspection')
@Controller('.well-known/oauth-authorization-server')
export class AuthorizationServerController {
  constructor(private readonly config: Config) {}

  @Get()
  @Public({ gated: false })
  @ApiOperation({
    operationId: 'getAuthorizationServer',
    summary: 'Where things are, for OAuth 2.0 clients',
    description:
      'Metadata as RFC 8414 has it and without `success`, by which clients find introspection and the public keys. There where PUBLIC_URL is set: no header of a request says where the service is. Needs no API token.',
  })
  @ApiOkResponse({ type: AuthorizationServer, description: 'The metadata.' })
  @ApiPublicProblems(PublicUrlUnset)
  get(): AuthorizationServer {
    const { publicUrl } = this.config;
    if (publicUrl === undefined) throw new PublicUrlUnset();
    return {
      issuer: publicUrl,
      introspection_endpoint: `${publicUrl}/api/v1/introspect`,
      introspection_endpoint_auth_methods_supported: [
        'client_secret_basic',
        'client_secret_post',
        'Bearer',
      ],
      jwks_uri: `${publicUrl}/.well-known/jwks.json`,
      response_types_supported: [],
      grant_types_supported: [],
    };
  }
}
