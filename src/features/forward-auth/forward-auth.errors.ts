import { problem } from '../../platform/common/problem/problem.ts';

/** Returned for the request of a viewer whom nothing identifies; a gateway hands it on. */
export class ViewerUnknown extends problem(401, 'viewer_unknown', {
  about:
    'The request of the viewer has no token that is valid now: neither in `Authorization: Bearer …`, nor once in the cookie that the gateway names.',
  headers: { 'WWW-Authenticate': 'Bearer realm="user groups"' },
}) {}

/** Returned for a viewer whose token is valid, but not for what the gateway protects. */
export class ViewerRefused extends problem(403, 'viewer_refused', {
  about:
    'The token of the viewer is valid, but not for what is behind the gateway: it is for another audience, origin or resource, the group lacks a data source or a value, or a header of the request could be read as one of the gateway.',
  detail: 'The token is for another audience.',
}) {}

/** Returned to a gateway whose API token or settings are wrong. A gateway must not hand on 401 for its own fault. */
export class GatewayMisconfigured extends problem(502, 'gateway_misconfigured', {
  about:
    'The gateway in front of this service is set up wrongly: X-Gateway-Authorization has no API token with the scope `tokens:introspect`, or X-Gateway-Settings is not as it must be. It says nothing of the viewer.',
  detail: 'X-Gateway-Settings must name an audience.',
}) {}

/** Returned in place of a 429, which the viewer of a gateway has not deserved. */
export class GatewayLimited extends problem(503, 'gateway_limited', {
  about:
    'The gateway, or its workspace, asks more often than INTROSPECTION_RATE_LIMIT_PER_MINUTE allows, or has sent a wrong API token too often. It says nothing of the viewer. Retry after the seconds of Retry-After.',
  detail: 'The API token has made too many requests.',
  headers: { 'Retry-After': '1' },
}) {}
