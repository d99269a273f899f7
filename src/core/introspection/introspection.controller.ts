import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiProblems, ApiTags, Ok, Operation } from '../../platform/common/operation.ts';
import {
  AcceptsClientSecret,
  type Caller,
  CurrentCaller,
  RequiresScope,
} from '../../platform/common/access/access.decorator.ts';
import { CredentialsAmbiguous } from '../../platform/common/problem/errors.ts';
import { Fresh } from '../../platform/common/http/parameters/request-params.ts';
import { JsonBody } from '../../platform/common/json/json-body.decorator.ts';
import { IntrospectionRequest } from './dto/introspect.dto.ts';
import { IntrospectionResponse } from './dto/introspection-response.dto.ts';
import { IntrospectionService } from './introspection.service.ts';

@ApiTags('Introspection')
@Controller('api/v1/introspect')
export class IntrospectionController {
  constructor(private readonly introspection: IntrospectionService) {}

  @Post()
  @HttpCode(200)
  @RequiresScope('tokens:introspect', { inRange: true, gated: false, lenient: true })
  @AcceptsClientSecret()
  @Operation(
    'introspectToken',
    'Introspect a token',
    'For the renderer of a dashboard (RFC 7662): which user group is viewing, which data sources to query, with which variables. Takes user group tokens and embed tokens; of an embed token compare `aud` with your own name. An unknown, replaced, expired or foreign token is `{"active": false}`, without a reason. Every replica sees a change within a second. OAuth 2.0 clients send the API token as their secret, by HTTP Basic or as `client_secret` in the form, with any client id.',
  )
  @Ok(IntrospectionResponse, 'The meaning of the token.')
  @ApiProblems(CredentialsAmbiguous)
  introspect(
    @CurrentCaller() caller: Caller,
    @JsonBody(IntrospectionRequest, { form: true, lenient: true }) dto: IntrospectionRequest,
    @Fresh() isFresh: boolean,
  ): Promise<IntrospectionResponse> {
    return this.introspection.introspect(caller, dto, isFresh);
  }
}
