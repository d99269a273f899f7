import { Controller, Delete, Get, Patch, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import {
  type Caller,
  CurrentCaller,
  RequiresScope,
} from '../../../platform/common/access/access.decorator.ts';
import { ApiExtraModels } from '../../../platform/common/api-docs.ts';
import {
  ApiProblems,
  ApiReadProblems,
  ApiTags,
  Created,
  Ok,
  Operation,
} from '../../../platform/common/operation.ts';
import { AuditUnavailable } from '../../../core/audit/audit.errors.ts';
import {
  TooManyWebhookEndpoints,
  WebhookEndpointNotFound,
  WebhookSecretUnreadable,
} from './webhook.errors.ts';
import { DeletedResponse } from '../../../platform/common/http/responses/response.ts';
import {
  ETAG,
  NotModified,
  PRECONDITION_ERRORS,
  Preconditions,
  RequestPreconditions,
  setEntityTag,
} from '../../../platform/common/http/parameters/preconditions.ts';
import { PageQueryDto } from '../../../platform/common/http/parameters/page.dto.ts';
import {
  IDEMPOTENCY_ERRORS,
  IdempotencyKeyHeader,
  NumberParam,
  QueryOf,
} from '../../../platform/common/http/parameters/request-params.ts';
import { JsonBody } from '../../../platform/common/json/json-body.decorator.ts';
import { ChangedObject, ChangedUserGroup } from '../../event/feed/dto/event-response.dto.ts';
import {
  CreateWebhookEndpointRequest,
  RollWebhookSecretRequest,
  UpdateWebhookEndpointRequest,
} from './dto/webhook-endpoint.dto.ts';
import {
  WebhookEndpointWithSecretResponse,
  WebhookEndpointResponse,
  WebhookEndpointsResponse,
  entityTagOfEndpoint,
} from './dto/webhook-endpoint-response.dto.ts';
import { WebhookEndpointService } from './webhook-endpoint.service.ts';

// The requests to an endpoint have these, also where no list of events is served.
@ApiExtraModels(ChangedUserGroup, ChangedObject)
@ApiTags('Webhooks')
@Controller('api/v1/webhook-endpoints')
export class WebhookEndpointController {
  constructor(private readonly endpoints: WebhookEndpointService) {}

  @Get()
  @RequiresScope('webhooks:read')
  @Operation(
    'listWebhookEndpoints',
    'List webhook endpoints',
    'The endpoints of the workspace in the order of their creation, including disabled ones.',
  )
  @Ok(WebhookEndpointsResponse, 'One page of endpoints.')
  @ApiReadProblems()
  list(
    @CurrentCaller() caller: Caller,
    @QueryOf(PageQueryDto) query: PageQueryDto,
  ): Promise<WebhookEndpointsResponse> {
    return this.endpoints.list(caller, query);
  }

  @Post()
  @RequiresScope('webhooks:write')
  @Operation(
    'createWebhookEndpoint',
    'Create a webhook endpoint',
    'From then on, events of its types are posted to it (Standard Webhooks 1.0). The response shows the secret of `v1`, once.',
  )
  @Created(WebhookEndpointWithSecretResponse, 'The new endpoint.', {
    Location: 'Path of what was created.',
  })
  @ApiProblems(TooManyWebhookEndpoints, AuditUnavailable, ...IDEMPOTENCY_ERRORS)
  async create(
    @CurrentCaller() caller: Caller,
    @JsonBody(CreateWebhookEndpointRequest) dto: CreateWebhookEndpointRequest,
    @IdempotencyKeyHeader() key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<WebhookEndpointWithSecretResponse> {
    const body = await this.endpoints.create(caller, dto, key);
    response.location(`/api/v1/webhook-endpoints/${body.webhook_endpoint.id}`);
    return body;
  }

  @Get(':id')
  @RequiresScope('webhooks:read')
  @Operation(
    'getWebhookEndpoint',
    'Read a webhook endpoint',
    'The endpoint without its secret and the values of its headers.',
  )
  @Ok(WebhookEndpointResponse, 'The endpoint.', ETAG)
  @NotModified()
  @ApiReadProblems(WebhookEndpointNotFound, ...PRECONDITION_ERRORS)
  async get(
    @CurrentCaller() caller: Caller,
    @NumberParam('id', WebhookEndpointNotFound) id: number,
    @RequestPreconditions() preconditions: Preconditions,
    @Res({ passthrough: true }) response: Response,
  ): Promise<WebhookEndpointResponse | undefined> {
    const body = await this.endpoints.get(caller, id);
    return preconditions.respond(response, entityTagOfEndpoint(body.webhook_endpoint), body);
  }

  @Patch(':id')
  @RequiresScope('webhooks:write')
  @Operation(
    'updateWebhookEndpoint',
    'Change a webhook endpoint',
    'Changes url, description, event_types or headers, or switches it on or off; what is not sent stays.',
  )
  @Ok(WebhookEndpointResponse, 'The endpoint as it is now.', ETAG)
  @ApiProblems(
    WebhookEndpointNotFound,
    WebhookSecretUnreadable,
    AuditUnavailable,
    ...PRECONDITION_ERRORS,
  )
  async update(
    @CurrentCaller() caller: Caller,
    @NumberParam('id', WebhookEndpointNotFound) id: number,
    @JsonBody(UpdateWebhookEndpointRequest) dto: UpdateWebhookEndpointRequest,
    @RequestPreconditions() preconditions: Preconditions,
    @Res({ passthrough: true }) response: Response,
  ): Promise<WebhookEndpointResponse> {
    const body = await this.endpoints.update(caller, id, dto, preconditions);
    setEntityTag(response, entityTagOfEndpoint(body.webhook_endpoint));
    return body;
  }

  @Delete(':id')
  @RequiresScope('webhooks:write')
  @Operation(
    'deleteWebhookEndpoint',
    'Delete a webhook endpoint',
    'Nothing more is sent to it; its deliveries and attempts are deleted with it.',
  )
  @Ok(DeletedResponse, 'Deleted.')
  @ApiReadProblems(WebhookEndpointNotFound, AuditUnavailable, ...PRECONDITION_ERRORS)
  remove(
    @CurrentCaller() caller: Caller,
    @NumberParam('id', WebhookEndpointNotFound) id: number,
    @RequestPreconditions() preconditions: Preconditions,
  ): Promise<DeletedResponse> {
    return this.endpoints.remove(caller, id, preconditions);
  }

  @Post(':id/roll-secret')
  @RequiresScope('webhooks:write')
  @Operation(
    'rollWebhookSecret',
    'Roll the secret of a webhook endpoint',
    'Creates a new secret, which the response shows once. For `grace_period_seconds` each message is signed with both; an even older secret ends at once.',
  )
  @Created(WebhookEndpointWithSecretResponse, 'The endpoint with its new secret.')
  @ApiProblems(WebhookEndpointNotFound, AuditUnavailable, ...IDEMPOTENCY_ERRORS)
  rollSecret(
    @CurrentCaller() caller: Caller,
    @NumberParam('id', WebhookEndpointNotFound) id: number,
    @JsonBody(RollWebhookSecretRequest) dto: RollWebhookSecretRequest,
    @IdempotencyKeyHeader() key: string | undefined,
  ): Promise<WebhookEndpointWithSecretResponse> {
    return this.endpoints.rollSecret(caller, id, dto, key);
  }
}
