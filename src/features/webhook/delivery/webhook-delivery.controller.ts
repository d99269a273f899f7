import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import {
  type Caller,
  CurrentCaller,
  RequiresScope,
} from '../../../platform/common/access/access.decorator.ts';
import {
  ApiProblems,
  ApiReadProblems,
  ApiTags,
  Ok,
  Operation,
} from '../../../platform/common/operation.ts';
import { AuditUnavailable } from '../../../core/audit/audit.errors.ts';
import {
  WebhookEndpointNotFound,
  WebhookEventNotFound,
  WebhookReplayRunning,
  WebhookTestRefused,
} from '../endpoint/webhook.errors.ts';
import {
  IDEMPOTENCY_ERRORS,
  IdempotencyKeyHeader,
  NumberParam,
  QueryOf,
} from '../../../platform/common/http/parameters/request-params.ts';
import { JsonBody } from '../../../platform/common/json/json-body.decorator.ts';
import {
  WebhookReplayResponse,
  ReplayWebhooksRequest,
  WebhookAttemptQueryDto,
  WebhookAttemptsResponse,
  WebhookTestResponse,
} from './dto/webhook-attempt.dto.ts';
import { TestEvents } from './test-events.ts';
import { WebhookDeliveryService } from './webhook-delivery.service.ts';

@ApiTags('Webhooks')
@Controller('api/v1/webhook-endpoints/:id')
export class WebhookDeliveryController {
  constructor(
    private readonly deliveries: WebhookDeliveryService,
    private readonly tests: TestEvents,
  ) {}

  @Get('attempts')
  @RequiresScope('webhooks:read')
  @Operation(
    'listWebhookAttempts',
    'List attempts to send webhooks',
    'The attempts to send events to the endpoint, latest first, with the beginning of each response.',
  )
  @Ok(WebhookAttemptsResponse, 'One page of attempts.')
  @ApiReadProblems(WebhookEndpointNotFound)
  listAttempts(
    @CurrentCaller() caller: Caller,
    @NumberParam('id', WebhookEndpointNotFound) id: number,
    @QueryOf(WebhookAttemptQueryDto) query: WebhookAttemptQueryDto,
  ): Promise<WebhookAttemptsResponse> {
    return this.deliveries.listAttempts(caller, id, query);
  }

  @Post('test')
  @HttpCode(200)
  @RequiresScope('webhooks:write', { gated: false })
  @Operation(
    'sendTestEvent',
    'Send a test event',
    'Sends one event of the type `webhook.test` to this endpoint alone, at once and once, signed as any other, and returns what the endpoint responded. An endpoint that is disabled or pauses gets it, too. The attempt is listed; a failure does not disable the endpoint.',
  )
  @Ok(WebhookTestResponse, 'The attempt, whatever the endpoint responded.')
  @ApiReadProblems(WebhookEndpointNotFound, WebhookTestRefused, AuditUnavailable)
  sendTestEvent(
    @CurrentCaller() caller: Caller,
    @NumberParam('id', WebhookEndpointNotFound) id: number,
  ): Promise<WebhookTestResponse> {
    return this.tests.send(caller, id);
  }

  @Post('replay')
  @HttpCode(200)
  @RequiresScope('webhooks:write')
  @Operation(
    'replayWebhooks',
    'Send webhooks again',
    'Sends one event again, or those of a period that have not arrived, each under its `webhook-id`, by which the receiver recognises repetitions. A disabled endpoint gets them once it is enabled. The events of a period are scheduled in the background, one replay of a workspace at a time. With `dry_run` they are counted alone.',
  )
  @Ok(WebhookReplayResponse, 'They will be sent.')
  @ApiProblems(
    WebhookEndpointNotFound,
    WebhookEventNotFound,
    WebhookReplayRunning,
    AuditUnavailable,
    ...IDEMPOTENCY_ERRORS,
  )
  replay(
    @CurrentCaller() caller: Caller,
    @NumberParam('id', WebhookEndpointNotFound) id: number,
    @JsonBody(ReplayWebhooksRequest) dto: ReplayWebhooksRequest,
    @IdempotencyKeyHeader() key: string | undefined,
  ): Promise<WebhookReplayResponse> {
    return this.deliveries.replay(caller, id, dto, key);
  }
}
