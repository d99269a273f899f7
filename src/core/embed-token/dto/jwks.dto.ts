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
