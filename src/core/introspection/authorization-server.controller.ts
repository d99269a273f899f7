import { Controller, Get } from '@nestjs/common';
import { ApiPublicProblems, ApiTags, Ok, Operation } from '../../platform/common/operation.ts';
import { ServedFeatures } from '../../platform/common/extension/feature.ts';
import { Public } from '../../platform/common/access/access.decorator.ts';
import { PublicUrlUnset } from '../workspace/workspace.errors.ts';
import { Config } from '../../platform/config/config.ts';
import { AuthorizationServerMetadata } from './dto/authorization-server.dto.ts';

@ApiTags('Introspection')
@Controller('.well-known/oauth-authorization-server')
export class AuthorizationServerController {
  constructor(
    private readonly config: Config,
    private readonly served: ServedFeatures,
  ) {}

  @Get()
  @Public({ gated: false })
  @Operation(
    'getAuthorizationServerMetadata',
    'Read the endpoints for OAuth 2.0 clients',
    'Metadata as RFC 8414 has it and without `success`, by which clients find introspection. Available if PUBLIC_URL is set: the address is never derived from headers. Needs no API token.',
  )
  @Ok(AuthorizationServerMetadata, 'The metadata.')
  @ApiPublicProblems(PublicUrlUnset)
  get(): Partial<AuthorizationServerMetadata> {
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
      ...(this.served.has('revocation') && {
        revocation_endpoint: `${publicUrl}/api/v1/revoke`,
        revocation_endpoint_auth_methods_supported: [
          'client_secret_basic',
          'client_secret_post',
          'Bearer',
        ],
      }),
      response_types_supported: [],
      grant_types_supported: [],
    };
  }
}
