import { Constant, ListOf, Text } from '../../../platform/common/fields.ts';

/** The public half of a signing key (RFC 7517, section 4). */
export class JsonWebKey {
  @Constant('EC', 'The kind of key.')
  kty!: 'EC';

  @Constant('P-256', 'The curve.')
  crv!: 'P-256';

  @Text('First coordinate of the public point.', 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU', {
    pattern: '^[0-9A-Za-z_-]{43}$',
  })
  x!: string;

  @Text('Second coordinate of the public point.', 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0', {
    pattern: '^[0-9A-Za-z_-]{43}$',
  })
  y!: string;

  @Constant('sig', 'Purpose of the key.')
  use!: 'sig';

  @Constant('ES256', 'The only algorithm.')
  alg!: 'ES256';

  @Text('Its id, the thumbprint of RFC 7638.', 'oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U', {
    pattern: '^[0-9A-Za-z_-]{43}$',
  })
  kid!: string;
}

/** The key set, exactly as in RFC 7517, section 5: without `success`. */
export class JsonWebKeySet {
  @ListOf(JsonWebKey, 'The keys; the first signs, and tokens signed by any of them are valid.')
  keys!: JsonWebKey[];
}

/** The part of OpenID Connect Discovery 1.0, section 3, that exists. The empty list says that nobody signs in here. */
export class IssuerMetadata {
  @Text(
    'The default issuer (`iss`) of the embed tokens of the workspace.',
    'https://groups.example.com/workspaces/ws_6f1d0a0c5b7e4a39b1c2d3e4f5a60718',
    { format: 'uri' },
  )
  issuer!: string;

  @Text(
    'The public keys of its embed tokens (RFC 7517).',
    'https://groups.example.com/workspaces/ws_6f1d0a0c5b7e4a39b1c2d3e4f5a60718/.well-known/jwks.json',
    { format: 'uri' },
  )
  jwks_uri!: string;

  @ListOf(String, 'None: nobody signs in here.', [], { maxItems: 0 })
  response_types_supported!: string[];

  @ListOf(String, 'The `sub` of a token is the same for every renderer.', ['public'])
  subject_types_supported!: string[];

  @ListOf(String, 'The only algorithm of embed tokens.', ['ES256'])
  id_token_signing_alg_values_supported!: string[];
}
