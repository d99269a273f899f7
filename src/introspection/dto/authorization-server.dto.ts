import { ApiProperty } from '../../common/api-docs.ts';

/**
 * Describes what exists here of an OAuth 2.0 authorization server, exactly as in RFC 8414, section
 * 2: without `success`. The empty lists are present because leaving them out would mean something
 * else.
 */
export class AuthorizationServer {
  @ApiProperty({
    description: 'PUBLIC_URL.',
    format: 'uri',
    example: 'https://user-groups.example.com',
  })
  issuer!: string;

  @ApiProperty({
    description: 'Where tokens are introspected (RFC 7662).',
    format: 'uri',
    example: 'https://user-groups.example.com/api/v1/introspect',
  })
  introspection_endpoint!: string;

  @ApiProperty({
    description: 'How a caller of it may send its API token.',
    type: [String],
    example: ['client_secret_basic', 'client_secret_post', 'Bearer'],
  })
  introspection_endpoint_auth_methods_supported!: string[];

  @ApiProperty({
    description: 'The public keys of embed tokens (RFC 7517).',
    format: 'uri',
    example: 'https://user-groups.example.com/.well-known/jwks.json',
  })
  jwks_uri!: string;

  @ApiProperty({
    description: 'None: nobody is asked for consent here.',
    type: [String],
    maxItems: 0,
    example: [],
  })
  response_types_supported!: string[];

  @ApiProperty({
    description: 'None: tokens are issued by the API, not by a token endpoint.',
    type: [String],
    maxItems: 0,
    example: [],
  })
  grant_types_supported!: string[];
}
