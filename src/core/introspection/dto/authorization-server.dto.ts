import { ListOf, Text } from '../../../platform/common/fields.ts';

/**
 * Describes the parts of an OAuth 2.0 authorization server that exist, exactly as in RFC 8414, section 2: without
 * `success`. The empty lists are present because leaving them out would mean something else.
 */
export class AuthorizationServerMetadata {
  @Text(
    'The value of PUBLIC_URL, with which all other URLs here begin.',
    'https://user-groups.example.com',
    { format: 'uri' },
  )
  issuer!: string;

  @Text('URL of introspection (RFC 7662).', 'https://user-groups.example.com/api/v1/introspect', {
    format: 'uri',
  })
  introspection_endpoint!: string;

  @ListOf(String, 'Ways in which a caller can send its API token.', [
    'client_secret_basic',
    'client_secret_post',
    'Bearer',
  ])
  introspection_endpoint_auth_methods_supported!: string[];

  @Text('URL of revocation (RFC 7009).', 'https://user-groups.example.com/api/v1/revoke', {
    format: 'uri',
  })
  revocation_endpoint!: string;

  @ListOf(String, 'Ways in which a caller can send its API token.', [
    'client_secret_basic',
    'client_secret_post',
    'Bearer',
  ])
  revocation_endpoint_auth_methods_supported!: string[];

  @ListOf(String, 'None: there is no consent page.', [], { maxItems: 0 })
  response_types_supported!: string[];

  @ListOf(String, 'None: tokens are issued by the API, not by a token endpoint.', [], {
    maxItems: 0,
  })
  grant_types_supported!: string[];
}
