/** The reason why there was no transaction for a viewer, or none to its end. */
export type TenantErrorCode = 'viewer_unusable' | 'connection_busy' | 'transaction_ended';

/** Nothing of a viewer's transaction counts, unless the work has committed it by itself. The message shows no value. */
export class TenantError extends Error {
  override readonly name = 'TenantError';

  /** @param code stable: decide by this */
  constructor(
    readonly code: TenantErrorCode,
    detail: string,
  ) {
    super(detail);
  }
}
