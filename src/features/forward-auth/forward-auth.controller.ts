import { Controller, Get, Req, Res, UseFilters, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import {
  type Caller,
  CurrentCaller,
  RequiresScope,
} from '../../platform/common/access/access.decorator.ts';
import { ApiPublicProblems, ApiTags, Empty, Operation } from '../../platform/common/operation.ts';
import { DatabaseUnavailable } from '../../platform/common/problem/errors.ts';
import {
  GatewayLimited,
  GatewayMisconfigured,
  ViewerRefused,
  ViewerUnknown,
} from './forward-auth.errors.ts';
import { GATEWAY_SCHEME, SettingsOfGateway } from './gateway/gateway-request.ts';
import type { GatewaySettings } from './gateway/gateway-settings.ts';
import { GatewayFilter } from './gateway/gateway.filter.ts';
import { GatewayGuard } from './gateway/gateway.guard.ts';
import { Viewers } from './viewers.service.ts';

@ApiTags('Forward authentication')
@Controller('api/v1/forward-auth')
@UseGuards(GatewayGuard)
export class ForwardAuthController {
  constructor(private readonly viewers: Viewers) {}

  @Get()
  @UseFilters(GatewayFilter)
  @RequiresScope('tokens:introspect', {
    inRange: true,
    gated: false,
    lenient: true,
    scheme: GATEWAY_SCHEME,
  })
  @Operation(
    'forwardAuth',
    'Tell a gateway who is viewing',
    'For nginx `auth_request`, Caddy `forward_auth`, HAProxy, Traefik, Envoy and others, which ask with the headers of the viewer’s own request: `Authorization: Bearer …`, or the cookie that the settings name. Any method, and any path below, mean the same. 200 has no body; its headers say who is viewing, percent-encoded, each always present and never empty. 401 and 403 are for the viewer; 502 says that the gateway is set up wrongly, 503 that the service cannot say.',
  )
  @Empty('Let the viewer in. The headers that the settings choose come in addition.', {
    'X-User-Group': 'Your own id of the user group, percent-encoded.',
    'X-User-Group-Number': 'Internal id of the user group.',
    'X-User-Group-Acting':
      'The person who views as the user group, percent-encoded; `-` for nobody.',
    'X-User-Group-Data-Source': 'With `schema`: its data source, percent-encoded.',
  })
  @ApiPublicProblems(
    ViewerUnknown,
    ViewerRefused,
    GatewayMisconfigured,
    GatewayLimited,
    DatabaseUnavailable,
  )
  async check(
    @CurrentCaller() caller: Caller,
    @SettingsOfGateway() settings: GatewaySettings,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<void> {
    response.set(await this.viewers.admit(caller, settings, request));
  }
}
