import { Injectable } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import type { Caller } from '../../platform/common/access/caller.ts';
import { ValidationFailed } from '../../platform/common/problem/errors.ts';
import type { IntrospectionResponse } from '../../core/introspection/dto/introspection-response.dto.ts';
import { Introspector } from '../../core/introspection/introspector.ts';
import { ViewerRefused, ViewerUnknown } from './forward-auth.errors.ts';
import type { GatewaySettings } from './gateway/gateway-settings.ts';
import { DATA_SOURCE_HEADER, findTwin } from './headers/header-names.ts';
import { identityHeaders } from './headers/identity-headers.ts';
import { viewerTokenOf } from './viewer-token.ts';

const DATA_SOURCE = DATA_SOURCE_HEADER.toLowerCase();

/** Tells who is viewing, by the introspection that renderers use. */
@Injectable()
export class Viewers {
  constructor(private readonly introspector: Introspector) {}

  /**
   * Returns the headers that tell an application who is viewing. Looks at the headers of the viewer's request alone,
   * never at its path, query or method.
   * @throws ViewerUnknown, ViewerRefused, DatabaseUnavailable
   */
  async admit(
    caller: Caller,
    settings: GatewaySettings,
    { headers, rawHeaders }: IncomingMessage,
  ): Promise<Record<string, string>> {
    const twin = findTwin(rawHeaders, settings.names);
    if (twin !== undefined) {
      throw new ViewerRefused(`A header of the request could be read as ${twin}.`);
    }
    if (settings.schema === undefined && headers[DATA_SOURCE] !== undefined) {
      throw new ViewerRefused(`Without a schema no gateway overwrites ${DATA_SOURCE_HEADER}.`);
    }
    const viewer = await this.identify(caller, viewerTokenOf(headers, settings.cookie), settings);
    return identityHeaders(viewer, settings);
  }

  /**
   * Identifies the holder of a token, and compares what an embed token is for with the settings. A user-group token is
   * for every audience.
   * @throws ViewerUnknown, ViewerRefused, DatabaseUnavailable
   */
  async identify(
    caller: Caller,
    token: string | undefined,
    settings: GatewaySettings,
  ): Promise<IntrospectionResponse> {
    if (token === undefined) throw new ViewerUnknown();
    const viewer = await this.introspect(caller, token, settings.schema);
    if (!viewer.active) throw new ViewerUnknown();
    requireAddressee(viewer, settings);
    requireResources(viewer, settings);
    return viewer;
  }

  /** Introspects any text: one that can be no token is one that nobody has. */
  private async introspect(
    caller: Caller,
    token: string,
    schema: string | undefined,
  ): Promise<IntrospectionResponse> {
    try {
      const body = { token, ...(schema !== undefined && { schema_id: schema }) };
      return await this.introspector.introspect(caller, body);
    } catch (error) {
      if (error instanceof ValidationFailed) return { active: false };
      throw error;
    }
  }
}

function requireAddressee(
  { token_type: type, aud, origin }: IntrospectionResponse,
  settings: GatewaySettings,
): void {
  if (type !== 'embed_token') return;
  if (aud !== settings.audience) throw new ViewerRefused('The token is for another audience.');
  if (settings.origin !== undefined && origin !== settings.origin) {
    throw new ViewerRefused('The token is for the pages of another origin.');
  }
}

/** Refuses a token for some resources where nobody behind the gateway would learn which. */
function requireResources({ resources }: IntrospectionResponse, { headers }: GatewaySettings) {
  if (!resources || headers.some(({ source }) => source.of === 'resources')) return;
  throw new ViewerRefused('The token is for some resources only, and the gateway hands on none.');
}
