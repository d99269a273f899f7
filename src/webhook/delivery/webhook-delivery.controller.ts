import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { RequiresScope } from '../../common/access.decorator.ts';
import { ApiOkResponse, ApiOperation, ApiTags } from '../../common/api-docs.ts';
import { type Caller, CurrentCaller } from '../../common/caller.ts';
import {
  AuditUnavailable,
  WebhookEndpointNotFound,
  WebhookEventNotFound,
  WebhookReplayRunning,
} from '../../common/errors.ts';
import { NumberParam } from '../../common/http/path-param.ts';
import { QueryOf } from '../../common/http/query.decorator.ts';
import { JsonBody } from '../../common/json/json-body.decorator.ts';
import { ApiProblems, ApiReadProblems } from '../../common/problem.dto.ts';
import {
  ReplayedWebhooksAnswer,
  ReplayWebhooksDto,
  WebhookAttemptQueryDto,
  WebhookAttemptsAnswer,
} from './dto/webhook-attempt.dto.ts';
import { WebhookDeliveryService } from './webhook-delivery.service.ts';

@ApiTags('Webhooks')
@Controller('api/v1/webhook-endpoints/:id')
export class WebhookDeliveryController {
  constructor(private readonly deliveries: WebhookDeliveryService) {}

  @Get('attempts')
  @RequiresScope('webhooks:read')
  @ApiOperation({
    operationId: 'listWebhookAttempts',
    summary: 'List attempts to send webhooks',
    description:
      'What was sent to the endpoint, the latest first, and the beginning of what it has answered.',
  })
  @ApiOkResponse({ type: WebhookAttemptsAnswer, description: 'One page of attempts.' })
  @ApiReadProblems(WebhookEndpointNotFound)
  listAttempts(
    @CurrentCaller() caller: Caller,
    @NumberParam('id', WebhookEndpointNotFound) id: number,
    @QueryOf(WebhookAttemptQueryDto) query: WebhookAttemptQueryDto,
  ): Promise<WebhookAttemptsAnswer> {
    return this.deliveries.listAttempts(caller, id, query);
  }

  @Post('replay')
  @HttpCode(200)
  @RequiresScope('webhooks:write')
  @ApiOperation({
    operationId: 'replayWebhooks',
    summary: 'Send webhooks again',
    description:
      'Sends one event again, or those of a time that have not arrived, each under its `webhook-id`, by which the receiver knows what it has had. An endpoint that is off gets them once it is on. Those of a time are made due in the background, one replay of a workspace at a time; the audit event `webhook_endpoint.replay` says how many there were.',
  })
  @ApiOkResponse({ type: ReplayedWebhooksAnswer, description: 'They will be sent.' })
  @ApiProblems(
    WebhookEndpointNotFound,
    WebhookEventNotFound,
    WebhookReplayRunning,
    AuditUnavailable,
  )
  replay(
    @CurrentCaller() caller: Caller,
    @NumberParam('id', WebhookEndpointNotFound) id: number,
    @JsonBody(ReplayWebhooksDto) dto: ReplayWebhooksDto,
  ): Promise<ReplayedWebhooksAnswer> {
    return this.deliveries.replay(caller, id, dto);
  }
}
