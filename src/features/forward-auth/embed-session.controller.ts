import { Controller, Get, HttpCode, Post, Req, Res, UseFilters, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import {
  type Caller,
  CurrentCaller,
  RequiresScope,
} from '../../platform/common/access/access.decorator.ts';
import { ApiExcludeController } from '../../platform/common/api-docs.ts';
import { JsonBody } from '../../platform/common/json/json-body.decorator.ts';
import { EmbedSessionRequest } from './embed-session.dto.ts';
import { EmbedSessions } from './embed-sessions.service.ts';
import { SettingsOfGateway } from './gateway/gateway-request.ts';
import type { GatewaySettings } from './gateway/gateway-settings.ts';
import { GatewayFilter } from './gateway/gateway.filter.ts';
import { GatewayGuard } from './gateway/gateway.guard.ts';

/**
 * The page in a frame that gives its site the token of the viewer as a cookie. A gateway serves it at a path of the
 * application’s own site. It is not below the endpoint, where a 200 lets any viewer in.
 */
@ApiExcludeController()
@Controller('api/v1/embed-session')
@UseGuards(GatewayGuard)
export class EmbedSessionController {
  constructor(private readonly sessions: EmbedSessions) {}

  @Get()
  @UseFilters(GatewayFilter)
  @RequiresScope('tokens:introspect', { inRange: true, gated: false, lenient: true })
  page(@SettingsOfGateway() settings: GatewaySettings, @Res() response: Response): void {
    this.sessions.sendPage(settings, response);
  }

  @Post()
  @HttpCode(204)
  @UseFilters(GatewayFilter)
  @RequiresScope('tokens:introspect', { inRange: true, gated: false, lenient: true })
  async begin(
    @CurrentCaller() caller: Caller,
    @SettingsOfGateway() settings: GatewaySettings,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @JsonBody(EmbedSessionRequest, { limit: 16_384 }) { token }: EmbedSessionRequest,
  ): Promise<void> {
    response.setHeader('Set-Cookie', await this.sessions.begin(caller, settings, request, token));
  }
}
