import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '../common/api-docs.ts';
import { AcceptsClientSecret, RequiresScope } from '../common/access.decorator.ts';
import { type Caller, CurrentCaller } from '../common/caller.ts';
import { CredentialsAmbiguous } from '../common/errors.ts';
import { Fresh } from '../common/http/fresh.decorator.ts';
import { JsonBody } from '../common/json/json-body.decorator.ts';
import { ApiProblems } from '../common/problem.dto.ts';
import { IntrospectDto } from './dto/introspect.dto.ts';
import { IntrospectionAnswer } from './dto/introspection-answer.dto.ts';
import { IntrospectionService } from './introspection.service.ts';

@ApiTags('Introspection')
@Controller('api/v1/introspect')
export class IntrospectionController {
  constructor(private readonly introspection: IntrospectionService) {}

  @Post()
  @HttpCode(200)
  @RequiresScope('tokens:introspect', { gated: false })
  @AcceptsClientSecret()
  @ApiOperation({
    operationId: 'introspectToken',
    summary: 'Introspect a token',
    description:
      'For the renderer of a dashboard (RFC 7662): which user group is viewing, which data sources to query, with which variables. Takes user group tokens and embed tokens; of an embed token compare `aud` with your own name. An unknown, replaced, expired or foreign token is `{"active": false}`, without a reason. A change is seen by every replica within a second. OAuth 2.0 clients send the API token as their secret, by HTTP Basic or as `client_secret` in the form, with any client id. Other parameters are ignored, as RFC 7662 requires.',
  })
  @ApiOkResponse({ type: IntrospectionAnswer, description: 'What the token means.' })
  @ApiProblems(CredentialsAmbiguous)
  introspect(
    @CurrentCaller() caller: Caller,
    @JsonBody(IntrospectDto, { form: true, lenient: true }) dto: IntrospectDto,
    @Fresh() isFresh: boolean,
  ): Promise<IntrospectionAnswer> {
    return this.introspection.introspect(caller, dto, isFresh);
  }
}
