import { Controller, Delete, Get, Patch, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { RequiresScope } from '../../common/access.decorator.ts';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '../../common/api-docs.ts';
import { type Caller, CurrentCaller } from '../../common/caller.ts';
import {
  AuditUnavailable,
  TooManyWebhookEndpoints,
  WebhookEndpointNotFound,
  WebhookSecretUnreadable,
} from '../../common/errors.ts';
import { DeletedAnswer } from '../../common/http/deleted-answer.dto.ts';
import { PageQueryDto } from '../../common/http/page.dto.ts';
import { NumberParam } from '../../common/http/path-param.ts';
import { QueryOf } from '../../common/http/query.decorator.ts';
import { JsonBody } from '../../common/json/json-body.decorator.ts';
import { ApiProblems, ApiReadProblems } from '../../common/problem.dto.ts';
import {
  CreateWebhookEndpointDto,
  RollWebhookSecretDto,
  UpdateWebhookEndpointDto,
} from './dto/webhook-endpoint.dto.ts';
import {
  IssuedWebhookEndpointAnswer,
  WebhookEndpointAnswer,
  WebhookEndpointsAnswer,
} from './dto/webhook-endpoint-answer.dto.ts';
import { WebhookEndpointService } from './webhook-endpoint.service.ts';

@ApiTags('Webhooks')
@Controller('api/v1/webhook-endpoints')
export class WebhookEndpointController {
  constructor(private readonly endpoints: WebhookEndpointService) {}

  @Get()
  @RequiresScope('webhooks:read')
  @ApiOperation({
    operationId: 'listWebhookEndpoints',
    summary: 'List webhook endpoints',
    description: 'Those of the workspace in the order of their creation, also those that are off.',
  })
  @ApiOkResponse({ type: WebhookEndpointsAnswer, description: 'One page of endpoints.' })
  @ApiReadProblems()
  list(
    @CurrentCaller() caller: Caller,
    @QueryOf(PageQueryDto) query: PageQueryDto,
  ): Promise<WebhookEndpointsAnswer> {
    return this.endpoints.list(caller, query);
  }

  @Post()
  @RequiresScope('webhooks:write')
  @ApiOperation({
    operationId: 'createWebhookEndpoint',
    summary: 'Create a webhook endpoint',
    description:
      'The events of the workspace that it asks for are posted to it from then on (Standard Webhooks 1.0). The answer shows the secret of `v1`, once.',
  })
  @ApiCreatedResponse({
    type: IssuedWebhookEndpointAnswer,
    description: 'The new endpoint.',
    headers: { Location: { description: 'Path of the endpoint.', schema: { type: 'string' } } },
  })
  @ApiProblems(TooManyWebhookEndpoints, AuditUnavailable)
  async create(
    @CurrentCaller() caller: Caller,
    @JsonBody(CreateWebhookEndpointDto) dto: CreateWebhookEndpointDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<IssuedWebhookEndpointAnswer> {
    const answer = await this.endpoints.create(caller, dto);
    response.location(`/api/v1/webhook-endpoints/${answer.webhook_endpoint.id}`);
    return answer;
  }

  @Get(':id')
  @RequiresScope('webhooks:read')
  @ApiOperation({
    operationId: 'getWebhookEndpoint',
    summary: 'Read a webhook endpoint',
    description: 'Everything about it but its secret and the values of its headers.',
  })
  @ApiOkResponse({ type: WebhookEndpointAnswer, description: 'The endpoint.' })
  @ApiReadProblems(WebhookEndpointNotFound)
  get(
    @CurrentCaller() caller: Caller,
    @NumberParam('id', WebhookEndpointNotFound) id: number,
  ): Promise<WebhookEndpointAnswer> {
    return this.endpoints.get(caller, id);
  }

  @Patch(':id')
  @RequiresScope('webhooks:write')
  @ApiOperation({
    operationId: 'updateWebhookEndpoint',
    summary: 'Change a webhook endpoint',
    description:
      'Changes url, description, event_types or headers, or switches it on or off; what is not sent stays.',
  })
  @ApiOkResponse({ type: WebhookEndpointAnswer, description: 'The endpoint as it is now.' })
  @ApiProblems(WebhookEndpointNotFound, WebhookSecretUnreadable, AuditUnavailable)
  update(
    @CurrentCaller() caller: Caller,
    @NumberParam('id', WebhookEndpointNotFound) id: number,
    @JsonBody(UpdateWebhookEndpointDto) dto: UpdateWebhookEndpointDto,
  ): Promise<WebhookEndpointAnswer> {
    return this.endpoints.update(caller, id, dto);
  }

  @Delete(':id')
  @RequiresScope('webhooks:write')
  @ApiOperation({
    operationId: 'deleteWebhookEndpoint',
    summary: 'Delete a webhook endpoint',
    description: 'Nothing is sent to it any more; its deliveries and attempts go with it.',
  })
  @ApiOkResponse({ type: DeletedAnswer, description: 'It is gone.' })
  @ApiReadProblems(WebhookEndpointNotFound, AuditUnavailable)
  remove(
    @CurrentCaller() caller: Caller,
    @NumberParam('id', WebhookEndpointNotFound) id: number,
  ): Promise<DeletedAnswer> {
    return this.endpoints.remove(caller, id);
  }

  @Post(':id/roll-secret')
  @RequiresScope('webhooks:write')
  @ApiOperation({
    operationId: 'rollWebhookSecret',
    summary: 'Roll the secret of a webhook endpoint',
    description:
      'Makes a new secret, which the answer shows once. For `grace_period_seconds` each message is signed with both, so that the receiver can change over at its time; a secret before the old one ends at once. The headers stay, unless the old secret cannot be decrypted any more.',
  })
  @ApiCreatedResponse({
    type: IssuedWebhookEndpointAnswer,
    description: 'The endpoint with its new secret.',
  })
  @ApiProblems(WebhookEndpointNotFound, AuditUnavailable)
  rollSecret(
    @CurrentCaller() caller: Caller,
    @NumberParam('id', WebhookEndpointNotFound) id: number,
    @JsonBody(RollWebhookSecretDto) dto: RollWebhookSecretDto,
  ): Promise<IssuedWebhookEndpointAnswer> {
    return this.endpoints.rollSecret(caller, id, dto);
  }
}
