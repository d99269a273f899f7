import { ApiProperty } from '../../common/api-docs.ts';
import type { PublicJwk } from '../signing-key.ts';

/** A public key (RFC 7517, section 4). */
class JwkView implements PublicJwk {
  @ApiProperty({ description: 'The kind of key.', enum: ['EC'], example: 'EC' })
  kty!: 'EC';

  @ApiProperty({ description: 'The curve.', enum: ['P-256'], example: 'P-256' })
  crv!: 'P-256';

  @ApiProperty({
    description: 'First coordinate of the public point.',
    pattern: '^[0-9A-Za-z_-]{43}$',
    example: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
  })
  x!: string;

  @ApiProperty({
    description: 'Second coordinate of the public point.',
    pattern: '^[0-9A-Za-z_-]{43}$',
    example: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
  })
  y!: string;

  @ApiProperty({ description: 'What the key is for.', enum: ['sig'], example: 'sig' })
  use!: 'sig';

  @ApiProperty({ description: 'The only algorithm.', enum: ['ES256'], example: 'ES256' })
  alg!: 'ES256';

  @ApiProperty({
    description: 'Its id, the thumbprint of RFC 7638.',
    pattern: '^[0-9A-Za-z_-]{43}$',
    example: 'oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U',
  })
  kid!: string;
}

/** The key set, exactly as in RFC 7517, section 5: without `success`. */
export class Jwks {
  @ApiProperty({
    description: 'The keys; the first signs, and tokens signed by any of them are valid.',
    type: () => [JwkView],
  })
  keys!: JwkView[];
}
