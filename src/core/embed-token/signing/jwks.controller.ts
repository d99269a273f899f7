import { Controller, Get, Header } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, schemaPath } from '../../../platform/common/api-docs.ts';
import { ApiPublicProblems, ApiTags, Operation } from '../../../platform/common/operation.ts';
import { Public } from '../../../platform/common/access/access.decorator.ts';
import { JsonWebKeySet } from '../dto/jwks.dto.ts';
import { SigningKeys } from './signing-keys.ts';

/** Time a verifier may lack a new key: the steps in docs/operate/encryption-keys.md wait that long before signing with it. */
const CACHE_CONTROL = 'public, max-age=300';

@ApiTags('Embed tokens')
@Controller('.well-known/jwks.json')
export class JwksController {
  constructor(private readonly keys: SigningKeys) {}

  @Get()
  @Public({ gated: false })
  @Header('Content-Type', 'application/jwk-set+json')
  @Header('Cache-Control', CACHE_CONTROL)
  @Header('Access-Control-Allow-Origin', '*')
  @Operation(
    'getJsonWebKeySet',
    'The public keys of embed tokens',
    'A JSON Web Key Set, as RFC 7517 has it and without `success`: with it embed tokens are verified offline. Needs no API token, may be cached for five minutes, and does not use the database.',
  )
  @ApiExtraModels(JsonWebKeySet)
  @ApiOkResponse({
    description: 'The key set.',
    content: { 'application/jwk-set+json': { schema: { $ref: schemaPath(JsonWebKeySet) } } },
  })
  @ApiPublicProblems()
  get(): JsonWebKeySet {
    return { keys: this.keys.publicJwks };
  }
}
