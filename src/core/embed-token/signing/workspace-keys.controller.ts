import { Controller, Get, Header } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, schemaPath } from '../../../platform/common/api-docs.ts';
import { ApiPublicProblems, ApiTags, Ok, Operation } from '../../../platform/common/operation.ts';
import { Public } from '../../../platform/common/access/access.decorator.ts';
import { pathParam } from '../../../platform/common/http/parameters/request-params.ts';
import { RouteNotFound } from '../../../platform/common/problem/errors.ts';
import { Config } from '../../../platform/config/config.ts';
import { workspaceUrl } from '../../workspace/workspace-issuer.ts';
import { PublicUrlUnset } from '../../workspace/workspace.errors.ts';
import { IssuerMetadata, JsonWebKeySet } from '../dto/workspace-keys.dto.ts';
import { ALGORITHM } from '../embed-token.ts';
import { SigningKeys } from './signing-keys.ts';

/** Time a verifier may lack a new key: the steps in docs/operate/encryption-keys.md wait that long before signing with it. */
const CACHE_CONTROL = 'public, max-age=300';

function WorkspaceParam(): ParameterDecorator {
  return pathParam('workspace_id', {
    description: 'The id of the workspace, as `GET /api/v1/workspace/identity` returns it.',
    schema: { type: 'string', minLength: 35, maxLength: 35 },
    example: 'ws_6f1d0a0c5b7e4a39b1c2d3e4f5a60718',
    read: (text) => {
      if (!/^ws_[0-9a-f]{32}$/.test(text)) throw new RouteNotFound();
      return text;
    },
  });
}

@ApiTags('Embed tokens')
@Controller('workspaces/:workspace_id/.well-known')
export class WorkspaceKeysController {
  constructor(
    private readonly keys: SigningKeys,
    private readonly config: Config,
  ) {}

  @Get('jwks.json')
  @Public({ gated: false })
  @Header('Content-Type', 'application/jwk-set+json')
  @Header('Cache-Control', CACHE_CONTROL)
  @Header('Access-Control-Allow-Origin', '*')
  @Operation(
    'getJsonWebKeySet',
    'The public keys of a workspace',
    'A JSON Web Key Set (RFC 7517), without `success`, by which the embed tokens of one workspace are verified offline. May be cached for five minutes. Needs neither an API token nor the database: any id has keys, whether there is such a workspace or not.',
  )
  @ApiExtraModels(JsonWebKeySet)
  @ApiOkResponse({
    description: 'The key set.',
    content: { 'application/jwk-set+json': { schema: { $ref: schemaPath(JsonWebKeySet) } } },
  })
  @ApiPublicProblems()
  async getKeys(@WorkspaceParam() workspaceId: string): Promise<JsonWebKeySet> {
    const keys = await this.keys.of(workspaceId);
    return { keys: keys.map(({ publicJwk }) => publicJwk) };
  }

  @Get('openid-configuration')
  @Public({ gated: false })
  @Header('Cache-Control', CACHE_CONTROL)
  @Header('Access-Control-Allow-Origin', '*')
  @Operation(
    'getIssuerMetadata',
    'Find the keys of a workspace',
    'The part of OpenID Connect Discovery 1.0 that exists, without `success`: nobody signs in here. It describes the issuer that a workspace has by default. Available if PUBLIC_URL is set. Needs no API token.',
  )
  @Ok(IssuerMetadata, 'The metadata.')
  @ApiPublicProblems(PublicUrlUnset)
  getMetadata(@WorkspaceParam() workspaceId: string): IssuerMetadata {
    const { publicUrl } = this.config;
    if (publicUrl === undefined) throw new PublicUrlUnset();
    const issuer = workspaceUrl(publicUrl, workspaceId);
    return {
      issuer,
      jwks_uri: `${issuer}/.well-known/jwks.json`,
      response_types_supported: [],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: [ALGORITHM],
    };
  }
}
