import { Controller, Get, Header } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  schemaPath,
} from '../common/api-docs.ts';
import { Public } from '../common/access.decorator.ts';
import { ApiPublicProblems } from '../common/problem.dto.ts';
import { Jwks } from './dto/jwks.dto.ts';
import { SigningKeys } from './signing-keys.ts';

/** How long a verifier may lack a new key: the steps in docs/operations.md wait that long before it signs. */
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
  @ApiOperation({
    operationId: 'getJwks',
    summary: 'The public keys of embed tokens',
    description:
      'A JSON Web Key Set, as RFC 7517 has it and without `success`: with it embed tokens are verified offline. Needs no API token, may be cached for five minutes, and is answered without the database.',
  })
  @ApiExtraModels(Jwks)
  @ApiOkResponse({
    description: 'The key set.',
    content: { 'application/jwk-set+json': { schema: { $ref: schemaPath(Jwks) } } },
  })
  @ApiPublicProblems()
  get(): Jwks {
    return { keys: this.keys.publicJwks };
  }
}
