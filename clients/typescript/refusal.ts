const NOT_VALID = 'This link is not valid. It may have expired or been replaced.';

/** The reason why a viewer is shown nothing; docs/guides/renderers.md explains each. */
export type RefusalCode =
  | 'token_missing'
  | 'token_refused'
  | 'audience_differs'
  | 'origin_differs'
  | 'resource_differs'
  | 'data_source_unknown'
  | 'variable_unusable'
  | 'service_unavailable';

/** The status of the response for each reason, and a text for the viewer. */
const REASONS: Record<RefusalCode, readonly [status: number, message: string]> = {
  token_missing: [400, 'There is no token.'],
  token_refused: [401, NOT_VALID],
  audience_differs: [403, 'This link is for another dashboard.'],
  origin_differs: [403, 'This link is for another site.'],
  resource_differs: [403, 'This link is for another dashboard.'],
  data_source_unknown: [422, 'No data source is set up for this dashboard.'],
  variable_unusable: [422, 'A setting of this dashboard is missing or cannot be used.'],
  service_unavailable: [503, 'Nobody can say who is viewing just now.'],
};

/**
 * A viewer is shown nothing. `message` is for the viewer; `cause` has the reason for the log. Neither has a token, or
 * the value of a variable.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  /** The status of the response: 400, 401, 403, 422 or 503. */
  readonly status: number;
  /** The seconds after which the viewer can try again, if the service tells them. */
  readonly retryAfter: number | undefined;
  /** The variable that is the reason, if one is. */
  readonly variable: string | undefined;

  /** @param code stable: decide by this */
  constructor(
    readonly code: RefusalCode,
    details: {
      cause?: unknown;
      retryAfter?: number | undefined;
      variable?: string | undefined;
    } = {},
  ) {
    const [status, message] = REASONS[code];
    super(message, 'cause' in details ? { cause: details.cause } : undefined);
    this.status = status;
    this.retryAfter = details.retryAfter;
    this.variable = details.variable;
  }
}
