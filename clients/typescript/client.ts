// Generated from the OpenAPI document by `npm run client`: changes are lost.

import type { StreamMessage } from './event-stream.js';
import { follow, type FollowedEvent, type FollowOptions } from './follow.js';
import type { Pages } from './pages.js';
import type { Query, Schemas } from './schemas.js';
import { type CallOptions, type ClientOptions, Transport } from './transport.js';

/**
 * The service, with the rights of one API token: a method for each operation. A method throws `ApiError` if the call
 * does not succeed, and the reason of the caller's own signal.
 */
export class UserGroupClient {
  readonly #transport: Transport;

  /** @throws TypeError if an option cannot be used, without its value */
  constructor(options: ClientOptions) {
    this.#transport = new Transport(options);
  }

  /**
   * Create or look up a user group.
   *
   * Generated clients and `fetch` cannot send a GET with a body. Use `PUT /api/user` to create or change a group, and
   * `GET /api/v1/user-groups/{id}/tokens/current` to look up its token; or send the body as `POST /api/user` with the
   * header `X-HTTP-Method-Override: GET`.
   *
   * Creates the group if its id is new (then `name` is needed), else looks it up: same token, same `team_id`. A field
   * that is sent and differs is stored, which needs the scope `user-groups:write`; a field that is not sent stays. A
   * body with `user_group_id` alone never creates.
   *
   * Required scopes: `user-groups:read` and `user-group-tokens:read`.
   *
   * `GET /api/user`
   */
  createOrLookUpUserGroup(
    body: Schemas['UserGroupInput'],
    options: CallOptions = {},
  ): Promise<Schemas['UserGroupLookupResponse']> {
    return this.#transport.json({ method: 'GET', path: '/api/user', body, options });
  }

  /**
   * Write a user group.
   *
   * Creates the group (then `name` is needed) or stores every field that is sent. A field that is not sent stays;
   * `mapping` and `properties` are replaced as a whole. The token never changes, and the response contains it even if
   * nothing changes. `PUT /api/v1/user-groups/{id}` writes without returning the token.
   *
   * Required scopes: `user-groups:write` and `user-group-tokens:read`.
   *
   * `PUT /api/user`
   */
  upsertUserGroup(
    body: Schemas['UserGroupInput'],
    options: CallOptions = {},
  ): Promise<Schemas['UserGroupWithTokenResponse']> {
    return this.#transport.json({ method: 'PUT', path: '/api/user', body, options });
  }

  /**
   * Rotate a user group token.
   *
   * Gives the group that holds `current_token` a new token. The old one can never rotate again; it ends at once, or can
   * be introspected for `grace_period_seconds` more. Of several rotations of one token exactly one succeeds. If the
   * response is lost, GET with the `user_group_id` returns the new token, and the same request with the same
   * `Idempotency-Key` returns the same response.
   *
   * Required scope: `tokens:rotate`.
   *
   * `POST /api/user`
   */
  rotateUserGroupToken(
    body: Schemas['RotateUserGroupTokenRequest'],
    options: CallOptions & { idempotencyKey?: string } = {},
  ): Promise<Schemas['UserGroupWithTokenResponse']> {
    return this.#transport.json({
      method: 'POST',
      path: '/api/user',
      body,
      headers: { 'Idempotency-Key': options.idempotencyKey },
      takesKey: true,
      options,
    });
  }

  /**
   * Import user groups.
   *
   * Stores one group per line, by the rules of PUT /api/user; the number of lines is not limited. A line can set the
   * token that the group has elsewhere: this also needs the scope `tokens:rotate`, and ends the previous token of the
   * group. Each line gets its result, in order, once it is durable. A refused line does not affect others, and its
   * `status` and `code` are those of the catalogue of errors. The last line of the response is the summary: without it
   * the response was cut off. An import can be repeated unchanged. A line with the id of an earlier line is refused; a
   * line that ends the token of an existing group says so (`token_replaced`). Each line counts as a call for the rate
   * limits: while a limit is reached the import pauses. BODY_LIMIT holds for each line. Read the response while you
   * send, or ask for `results=failed`.
   *
   * Required scope: `user-groups:write`.
   *
   * `POST /api/v1/user-groups/import`
   */
  importUserGroups(
    lines: Iterable<Schemas['UserGroupLine']> | AsyncIterable<Schemas['UserGroupLine']>,
    query: Query<'importUserGroups'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<
    Schemas['ImportedLine'] | Schemas['RefusedLine'] | Schemas['ImportSummary'],
    void
  > {
    return this.#transport.lines({
      method: 'POST',
      path: '/api/v1/user-groups/import',
      lines,
      mediaType: 'application/x-ndjson',
      query,
      options,
    });
  }

  /**
   * Export user groups.
   *
   * Every group of the workspace with its current token, in order of `team_id`, as an import takes them. The tokens
   * also need the scope `user-group-tokens:read`. The last line is the summary: without it the response was cut off. It
   * is a POST because the response contains credentials.
   *
   * Required scope: `admin`.
   *
   * `POST /api/v1/user-groups/export`
   */
  exportUserGroups(
    body: Schemas['ExportUserGroupsRequest'] = {},
    options: CallOptions = {},
  ): AsyncGenerator<Schemas['UserGroupLine'] | Schemas['ExportSummary'], void> {
    return this.#transport.lines({
      method: 'POST',
      path: '/api/v1/user-groups/export',
      body,
      isSafe: true,
      options,
    });
  }

  /**
   * Change many user groups.
   *
   * Suspends, resumes or deletes groups, or rotates their tokens: those of `ids`, those that pass the filters of the
   * query, or all. `rotate` also needs the scope `tokens:rotate`, and without `ids` the call needs `user-groups:read`.
   * Each group gets its result once it is durable, and is written as by its own call: it has its own audit event. A
   * refused group does not affect others. A group that passes the filters and is changed before its turn comes is not
   * deleted, and one that no longer has the `status` of the filter, because the rules of the workspace have changed,
   * stays as it is (412 `precondition_failed`). The last line of the response is the summary: without it the response
   * was cut off. Each group counts as a call for the rate limits: while a limit is reached the change pauses; it does
   * not fail. It ends when the client disconnects, and can be repeated: with `issued_before` no token is rotated twice.
   *
   * Required scope: `user-groups:write`.
   *
   * `POST /api/v1/user-groups/actions`
   */
  changeUserGroups(
    body: Schemas['ChangeUserGroupsRequest'],
    query: Query<'changeUserGroups'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<
    | Schemas['BulkChangeStarted']
    | Schemas['ChangedUserGroupLine']
    | Schemas['RefusedUserGroupLine']
    | Schemas['BulkChangeSummary'],
    void
  > {
    return this.#transport.lines({
      method: 'POST',
      path: '/api/v1/user-groups/actions',
      body,
      query,
      options,
    });
  }

  /**
   * List user groups.
   *
   * Without tokens, in the order of `sort`; by default in order of creation, which is that of `team_id`. Filters can be
   * combined. With filters one call looks at 1,000 groups at most: a page may have fewer groups than asked for, or
   * none, and still a `next_cursor`. A group whose place in the order changes between two pages may appear on both or
   * on neither.
   *
   * Required scope: `user-groups:read`.
   *
   * `GET /api/v1/user-groups`
   */
  listUserGroups(
    query: Query<'listUserGroups'> = {},
    options: CallOptions = {},
  ): Pages<Schemas['UserGroupsResponse'], Schemas['UserGroup']> {
    return this.#transport.pages(
      { method: 'GET', path: '/api/v1/user-groups', query, options },
      'user_groups',
    );
  }

  /**
   * Get a user group.
   *
   * Reads and never writes. The response contains no token, so it has an `ETag`: send it in `If-Match` with a write,
   * and the write is performed only if the group has not changed since. With `at` the response is the group at that
   * time, without an `ETag`, and says which of its tokens were accepted.
   *
   * Required scope: `user-groups:read`.
   *
   * `GET /api/v1/user-groups/{id}`
   */
  getUserGroup(
    id: string,
    query: Query<'getUserGroup'> | undefined,
    options: CallOptions & { ifMatch?: string; ifNoneMatch: string },
  ): Promise<Schemas['GetUserGroupResponse'] | undefined>;
  getUserGroup(
    id: string,
    query?: Query<'getUserGroup'>,
    options?: CallOptions & { ifMatch?: string; ifNoneMatch?: undefined },
  ): Promise<Schemas['GetUserGroupResponse']>;
  getUserGroup(
    id: string,
    query: Query<'getUserGroup'> = {},
    options: CallOptions & { ifMatch?: string; ifNoneMatch?: string } = {},
  ): Promise<Schemas['GetUserGroupResponse'] | undefined> {
    return this.#transport.json({
      method: 'GET',
      path: '/api/v1/user-groups/{id}',
      ids: { id },
      query,
      headers: { 'If-Match': options.ifMatch, 'If-None-Match': options.ifNoneMatch },
      options,
    });
  }

  /**
   * Create or replace a user group.
   *
   * Makes the group exactly what the body says: unlike PUT /api/user, a `mapping` or `properties` that is not sent is
   * emptied, and an unknown field is refused. The token never changes and is not returned. With `If-None-Match: *` it
   * only creates, with `If-Match` it only replaces.
   *
   * Required scope: `user-groups:write`.
   *
   * `PUT /api/v1/user-groups/{id}`
   */
  replaceUserGroup(
    id: string,
    body: Schemas['ReplaceUserGroupRequest'],
    options: CallOptions & { ifMatch?: string; ifNoneMatch?: string } = {},
  ): Promise<Schemas['UserGroupResponse']> {
    return this.#transport.json({
      method: 'PUT',
      path: '/api/v1/user-groups/{id}',
      ids: { id },
      body,
      headers: { 'If-Match': options.ifMatch, 'If-None-Match': options.ifNoneMatch },
      options,
    });
  }

  /**
   * Change parts of a user group.
   *
   * A JSON Merge Patch (RFC 7396): a member that is null is removed, an object is merged, anything else replaces.
   * Patches of different members that arrive together are all kept.
   *
   * Required scope: `user-groups:write`.
   *
   * `PATCH /api/v1/user-groups/{id}`
   */
  updateUserGroup(
    id: string,
    body: Schemas['UpdateUserGroupRequest'],
    options: CallOptions & { ifMatch?: string; ifNoneMatch?: string } = {},
  ): Promise<Schemas['UserGroupResponse']> {
    return this.#transport.json({
      method: 'PATCH',
      path: '/api/v1/user-groups/{id}',
      ids: { id },
      body,
      mediaType: 'application/merge-patch+json',
      headers: { 'If-Match': options.ifMatch, 'If-None-Match': options.ifNoneMatch },
      options,
    });
  }

  /**
   * Delete a user group.
   *
   * Removes the group with its tokens for good: none of them is valid from then on, and a group of the same id that is
   * created later has another `team_id` and another token. To end its tokens for a while, suspend it.
   *
   * Required scope: `user-groups:write`.
   *
   * `DELETE /api/v1/user-groups/{id}`
   */
  deleteUserGroup(
    id: string,
    options: CallOptions & { ifMatch?: string; ifNoneMatch?: string } = {},
  ): Promise<Schemas['DeletedResponse']> {
    return this.#transport.json({
      method: 'DELETE',
      path: '/api/v1/user-groups/{id}',
      ids: { id },
      headers: { 'If-Match': options.ifMatch, 'If-None-Match': options.ifNoneMatch },
      options,
    });
  }

  /**
   * Suspend a user group.
   *
   * No token of the group can be introspected until it is resumed. It can still be looked up, written and rotated.
   * Suspending it again changes nothing. The call has no body.
   *
   * Required scope: `user-groups:write`.
   *
   * `POST /api/v1/user-groups/{id}/suspend`
   */
  suspendUserGroup(id: string, options: CallOptions = {}): Promise<Schemas['UserGroupResponse']> {
    return this.#transport.json({
      method: 'POST',
      path: '/api/v1/user-groups/{id}/suspend',
      ids: { id },
      options,
    });
  }

  /**
   * Resume a user group.
   *
   * Its current token can be introspected again; a token that was replaced meanwhile cannot, beyond its grace period.
   * Resuming a group that is not suspended changes nothing. The call has no body.
   *
   * Required scope: `user-groups:write`.
   *
   * `POST /api/v1/user-groups/{id}/resume`
   */
  resumeUserGroup(id: string, options: CallOptions = {}): Promise<Schemas['UserGroupResponse']> {
    return this.#transport.json({
      method: 'POST',
      path: '/api/v1/user-groups/{id}/resume',
      ids: { id },
      options,
    });
  }

  /**
   * List the versions of a user group.
   *
   * Every state of the group, newest first, including the present one. A rotation of its token adds none. A renamed
   * group is listed by its present id, and after it each deleted group that has had the id. Replaced states are kept
   * for `HISTORY_RETENTION_DAYS`.
   *
   * Required scope: `user-groups:read`.
   *
   * `GET /api/v1/user-groups/{id}/versions`
   */
  listUserGroupVersions(
    id: string,
    query: Query<'listUserGroupVersions'> = {},
    options: CallOptions = {},
  ): Pages<Schemas['UserGroupVersionsResponse'], Schemas['UserGroupVersion']> {
    return this.#transport.pages(
      { method: 'GET', path: '/api/v1/user-groups/{id}/versions', ids: { id }, query, options },
      'versions',
    );
  }

  /**
   * Get a version of a user group.
   *
   * The state as stored. `compare_with` adds the differences from another version.
   *
   * Required scope: `user-groups:read`.
   *
   * `GET /api/v1/user-groups/{id}/versions/{version}`
   */
  getUserGroupVersion(
    id: string,
    version: number,
    query: Query<'getUserGroupVersion'> = {},
    options: CallOptions = {},
  ): Promise<Schemas['UserGroupVersionResponse']> {
    return this.#transport.json({
      method: 'GET',
      path: '/api/v1/user-groups/{id}/versions/{version}',
      ids: { id, version },
      query,
      options,
    });
  }

  /**
   * Restore a version of a user group.
   *
   * Writes the name, the mapping and the properties of the version, which have to keep the present rules of the
   * workspace. Its token and its suspension stay as they are. A deleted group is created again, with another `team_id`
   * and token, and suspended if it was. Send `If-Match` with the `ETag` of the group, so that nobody else's change is
   * lost; `If-None-Match: *` restores only a deleted group. The call has no body.
   *
   * Required scope: `user-groups:write`.
   *
   * `POST /api/v1/user-groups/{id}/versions/{version}/restore`
   */
  restoreUserGroupVersion(
    id: string,
    version: number,
    query: Query<'restoreUserGroupVersion'> = {},
    options: CallOptions & { ifMatch?: string; ifNoneMatch?: string } = {},
  ): Promise<Schemas['UserGroupResponse']> {
    return this.#transport.json({
      method: 'POST',
      path: '/api/v1/user-groups/{id}/versions/{version}/restore',
      ids: { id, version },
      query,
      headers: { 'If-Match': options.ifMatch, 'If-None-Match': options.ifNoneMatch },
      options,
    });
  }

  /**
   * Rename a user group.
   *
   * Gives the group another id. Its `team_id`, tokens, history and usage stay. For 30 days calls by the former id get
   * 409 `user_group_renamed` with the new id, and no other group can get it.
   *
   * Required scope: `user-groups:write`.
   *
   * `POST /api/v1/user-groups/{id}/rename`
   */
  renameUserGroup(
    id: string,
    body: Schemas['RenameUserGroupRequest'],
    options: CallOptions & { idempotencyKey?: string; ifMatch?: string; ifNoneMatch?: string } = {},
  ): Promise<Schemas['UserGroupResponse']> {
    return this.#transport.json({
      method: 'POST',
      path: '/api/v1/user-groups/{id}/rename',
      ids: { id },
      body,
      headers: {
        'Idempotency-Key': options.idempotencyKey,
        'If-Match': options.ifMatch,
        'If-None-Match': options.ifNoneMatch,
      },
      takesKey: true,
      options,
    });
  }

  /**
   * List the tokens of a user group.
   *
   * The current token and those before it, without the tokens themselves: when each was issued, replaced and last
   * introspected, and why it is refused. If a dashboard refuses a token, its last four characters find it here.
   *
   * Required scope: `user-groups:read`.
   *
   * `GET /api/v1/user-groups/{id}/tokens`
   */
  listUserGroupTokens(
    id: string,
    query: Query<'listUserGroupTokens'> = {},
    options: CallOptions = {},
  ): Pages<Schemas['UserGroupTokensResponse'], Schemas['UserGroupToken']> {
    return this.#transport.pages(
      { method: 'GET', path: '/api/v1/user-groups/{id}/tokens', ids: { id }, query, options },
      'tokens',
    );
  }

  /**
   * Get the current token of a user group.
   *
   * The token to pass to dashboards, as GET /api/user returns it. It is never part of the user group below /api/v1.
   *
   * Required scope: `user-group-tokens:read`.
   *
   * `GET /api/v1/user-groups/{id}/tokens/current`
   */
  getUserGroupToken(
    id: string,
    options: CallOptions = {},
  ): Promise<Schemas['UserGroupWithTokenResponse']> {
    return this.#transport.json({
      method: 'GET',
      path: '/api/v1/user-groups/{id}/tokens/current',
      ids: { id },
      options,
    });
  }

  /**
   * Rotate the token of a user group.
   *
   * Like POST /api/user, for a caller who knows the group but does not hold its token. Each call issues a new token;
   * with an `Idempotency-Key` a repeated request gets the same response.
   *
   * Required scope: `tokens:rotate`.
   *
   * `POST /api/v1/user-groups/{id}/tokens/rotate`
   */
  rotateUserGroupTokenById(
    id: string,
    body: Schemas['RotateUserGroupTokenByIdRequest'] = {},
    options: CallOptions & { idempotencyKey?: string } = {},
  ): Promise<Schemas['UserGroupWithTokenResponse']> {
    return this.#transport.json({
      method: 'POST',
      path: '/api/v1/user-groups/{id}/tokens/rotate',
      ids: { id },
      body,
      headers: { 'Idempotency-Key': options.idempotencyKey },
      takesKey: true,
      options,
    });
  }

  /**
   * End the overlap of a replaced token.
   *
   * A token that was rotated with a grace period can no longer be introspected from now on. To end the current token,
   * rotate it.
   *
   * Required scope: `tokens:rotate`.
   *
   * `POST /api/v1/user-groups/{id}/tokens/{generation}/revoke`
   */
  revokeUserGroupToken(
    id: string,
    generation: number,
    options: CallOptions = {},
  ): Promise<Schemas['UserGroupTokensResponse']> {
    return this.#transport.json({
      method: 'POST',
      path: '/api/v1/user-groups/{id}/tokens/{generation}/revoke',
      ids: { id, generation },
      options,
    });
  }

  /**
   * Plan the user groups of a set.
   *
   * Compares each line, a whole group, with the stored group, and stores the changes as a plan. It writes no group. A
   * line with a `token` is refused. The first segment of each pointer is the number of the line.
   *
   * Required scopes: `user-groups:write` and `user-groups:read`.
   *
   * `POST /api/v1/user-groups/plan`
   */
  planUserGroups(
    lines: Iterable<Schemas['DesiredUserGroup']> | AsyncIterable<Schemas['DesiredUserGroup']>,
    query: Query<'planUserGroups'>,
    options: CallOptions = {},
  ): Promise<Schemas['PlanResponse']> {
    return this.#transport.json({
      method: 'POST',
      path: '/api/v1/user-groups/plan',
      lines,
      mediaType: 'application/x-ndjson',
      query,
      options,
    });
  }

  /**
   * Apply a plan.
   *
   * Applies exactly this plan, as a whole or not at all. No token changes.
   *
   * Required scope: `user-groups:write`.
   *
   * `POST /api/v1/user-groups/apply`
   */
  applyUserGroups(
    query: Query<'applyUserGroups'>,
    options: CallOptions & { idempotencyKey?: string } = {},
  ): Promise<Schemas['AppliedPlanResponse']> {
    return this.#transport.json({
      method: 'POST',
      path: '/api/v1/user-groups/apply',
      query,
      headers: { 'Idempotency-Key': options.idempotencyKey },
      takesKey: true,
      options,
    });
  }

  /**
   * List jobs.
   *
   * The jobs of the workspace, newest first. An ended job stays for 30 days.
   *
   * Required scope: `user-groups:read`.
   *
   * `GET /api/v1/bulk-jobs`
   */
  listBulkJobs(
    query: Query<'listBulkJobs'> = {},
    options: CallOptions = {},
  ): Pages<Schemas['BulkJobsResponse'], Schemas['BulkJob']> {
    return this.#transport.pages(
      { method: 'GET', path: '/api/v1/bulk-jobs', query, options },
      'bulk_jobs',
    );
  }

  /**
   * Change many user groups in the background.
   *
   * Does what `/api/v1/user-groups/actions` does, by the same rules and with the same scopes, and continues when the
   * caller disconnects. Jobs of a workspace run one after another. The API token is checked again and again: the job
   * fails when the token ends or loses a scope. No result contains a new token.
   *
   * Required scope: `user-groups:write`.
   *
   * `POST /api/v1/bulk-jobs`
   */
  createBulkJob(
    body: Schemas['ChangeUserGroupsRequest'],
    query: Query<'createBulkJob'> = {},
    options: CallOptions & { idempotencyKey?: string } = {},
  ): Promise<Schemas['BulkJobResponse']> {
    return this.#transport.json({
      method: 'POST',
      path: '/api/v1/bulk-jobs',
      body,
      query,
      headers: { 'Idempotency-Key': options.idempotencyKey },
      takesKey: true,
      options,
    });
  }

  /**
   * Import user groups in the background.
   *
   * Takes what `/api/v1/user-groups/import` takes, by the same rules and with the same scopes, and stores the lines
   * encrypted until their turn comes. The response is sent when all lines have arrived: from then on the import
   * continues when the caller disconnects. If the upload breaks off, nothing of it is kept. A line that cannot be read
   * is refused at once. An import can be repeated unchanged.
   *
   * Required scope: `user-groups:write`.
   *
   * `POST /api/v1/bulk-jobs/import`
   */
  createImportJob(
    lines: Iterable<Schemas['UserGroupLine']> | AsyncIterable<Schemas['UserGroupLine']>,
    options: CallOptions = {},
  ): Promise<Schemas['BulkJobResponse']> {
    return this.#transport.json({
      method: 'POST',
      path: '/api/v1/bulk-jobs/import',
      lines,
      mediaType: 'application/x-ndjson',
      options,
    });
  }

  /**
   * Read a job.
   *
   * The progress of the job. Poll at most once a second.
   *
   * Required scope: `user-groups:read`.
   *
   * `GET /api/v1/bulk-jobs/{id}`
   */
  getBulkJob(id: number, options: CallOptions = {}): Promise<Schemas['BulkJobResponse']> {
    return this.#transport.json({
      method: 'GET',
      path: '/api/v1/bulk-jobs/{id}',
      ids: { id },
      options,
    });
  }

  /**
   * List results of a job.
   *
   * The result of each group so far. It is stored together with the change of the group.
   *
   * Required scope: `user-groups:read`.
   *
   * `GET /api/v1/bulk-jobs/{id}/results`
   */
  listBulkJobResults(
    id: number,
    query: Query<'listBulkJobResults'> = {},
    options: CallOptions = {},
  ): Pages<Schemas['BulkJobResultsResponse'], Schemas['BulkJobResult']> {
    return this.#transport.pages(
      { method: 'GET', path: '/api/v1/bulk-jobs/{id}/results', ids: { id }, query, options },
      'results',
    );
  }

  /**
   * Cancel a job.
   *
   * The job changes no further group. Its changes stay, and can be undone.
   *
   * Required scope: `user-groups:write`.
   *
   * `POST /api/v1/bulk-jobs/{id}/cancel`
   */
  cancelBulkJob(id: number, options: CallOptions = {}): Promise<Schemas['BulkJobResponse']> {
    return this.#transport.json({
      method: 'POST',
      path: '/api/v1/bulk-jobs/{id}/cancel',
      ids: { id },
      options,
    });
  }

  /**
   * Undo a job.
   *
   * Creates a job that resumes the groups that the other has suspended, or the reverse, within 24 hours of its end. The
   * undo of an import deletes the groups that it has created, and restores the previous version of the others; a token
   * that it has replaced does not come back. A group that has changed since is refused, and stays as it is.
   *
   * Required scope: `user-groups:write`.
   *
   * `POST /api/v1/bulk-jobs/{id}/undo`
   */
  undoBulkJob(
    id: number,
    options: CallOptions & { idempotencyKey?: string } = {},
  ): Promise<Schemas['BulkJobResponse']> {
    return this.#transport.json({
      method: 'POST',
      path: '/api/v1/bulk-jobs/{id}/undo',
      ids: { id },
      headers: { 'Idempotency-Key': options.idempotencyKey },
      takesKey: true,
      options,
    });
  }

  /**
   * Issue an embed token.
   *
   * A short-lived JWT (ES256) for the page that embeds a dashboard, so that the user group token never reaches a
   * browser. Renderers introspect it, or verify it with the keys of the workspace. It ends at `expires_at`; for
   * introspection sooner, if the token it depends on ends or the group is suspended or deleted. The grace period of a
   * rotation applies to it too. An audience that the workspace does not allow is a 422. With `acting_for` the token is
   * for somebody who views as the group: the audit log records who and why before it is issued, `act` names them, and
   * the workspace can forbid it. With `target` it is the token that a tool of the workspace takes: nothing ends that
   * before `expires_at`. An `Idempotency-Key` counts only with `acting_for` or `target`.
   *
   * Required scope: `embed-tokens:issue`. With `acting_for` instead: `user-groups:view-as`.
   *
   * `POST /api/v1/user-groups/{id}/embed-tokens`
   */
  issueEmbedToken(
    id: string,
    body: Schemas['IssueEmbedTokenRequest'],
    options: CallOptions & { idempotencyKey?: string } = {},
  ): Promise<Schemas['EmbedTokenResponse']> {
    return this.#transport.json({
      method: 'POST',
      path: '/api/v1/user-groups/{id}/embed-tokens',
      ids: { id },
      body,
      headers: { 'Idempotency-Key': options.idempotencyKey },
      isSafe: true,
      options,
    });
  }

  /**
   * The public keys of a workspace.
   *
   * A JSON Web Key Set (RFC 7517), without `success`, by which the embed tokens of one workspace are verified offline.
   * May be cached for five minutes. Needs neither an API token nor the database: any id has keys, whether there is such
   * a workspace or not.
   *
   * `GET /workspaces/{workspace_id}/.well-known/jwks.json`
   */
  getJsonWebKeySet(
    workspace_id: string,
    options: CallOptions = {},
  ): Promise<Schemas['JsonWebKeySet']> {
    return this.#transport.json({
      method: 'GET',
      path: '/workspaces/{workspace_id}/.well-known/jwks.json',
      ids: { workspace_id },
      isPublic: true,
      options,
    });
  }

  /**
   * Find the keys of a workspace.
   *
   * The part of OpenID Connect Discovery 1.0 that exists, without `success`: nobody signs in here. It describes the
   * issuer that a workspace has by default. Available if PUBLIC_URL is set. Needs no API token.
   *
   * `GET /workspaces/{workspace_id}/.well-known/openid-configuration`
   */
  getIssuerMetadata(
    workspace_id: string,
    options: CallOptions = {},
  ): Promise<Schemas['IssuerMetadata']> {
    return this.#transport.json({
      method: 'GET',
      path: '/workspaces/{workspace_id}/.well-known/openid-configuration',
      ids: { workspace_id },
      isPublic: true,
      options,
    });
  }

  /**
   * Introspect a token.
   *
   * For the renderer of a dashboard (RFC 7662): which user group is viewing, which data sources to query, with which
   * variables. Takes user group tokens and embed tokens; of an embed token compare `aud` with your own name. An
   * unknown, replaced, expired or foreign token is `{"active": false}`, without a reason. Every replica sees a change
   * within a second. OAuth 2.0 clients send the API token as their secret, by HTTP Basic or as `client_secret` in the
   * form, with any client id.
   *
   * Required scope: `tokens:introspect`.
   *
   * `POST /api/v1/introspect`
   */
  introspectToken(
    body: Schemas['IntrospectionRequest'],
    options: CallOptions & { cacheControl?: string } = {},
  ): Promise<Schemas['IntrospectionResponse']> {
    return this.#transport.json({
      method: 'POST',
      path: '/api/v1/introspect',
      body,
      headers: { 'Cache-Control': options.cacheControl },
      isSafe: true,
      options,
    });
  }

  /**
   * See what a renderer gets for a user group.
   *
   * The introspection of its current token as it is now, without the token: the mapping with the names of the registry,
   * the variables with their types, and what is missing. Does not count as an introspection.
   *
   * Required scope: `user-groups:read`.
   *
   * `GET /api/v1/user-groups/{id}/view`
   */
  viewUserGroup(id: string, options: CallOptions = {}): Promise<Schemas['UserGroupViewResponse']> {
    return this.#transport.json({
      method: 'GET',
      path: '/api/v1/user-groups/{id}/view',
      ids: { id },
      options,
    });
  }

  /**
   * Read the endpoints for OAuth 2.0 clients.
   *
   * Metadata as RFC 8414 has it and without `success`, by which clients find introspection. Available if PUBLIC_URL is
   * set: the address is never derived from headers. Needs no API token.
   *
   * `GET /.well-known/oauth-authorization-server`
   */
  getAuthorizationServerMetadata(
    options: CallOptions = {},
  ): Promise<Schemas['AuthorizationServerMetadata']> {
    return this.#transport.json({
      method: 'GET',
      path: '/.well-known/oauth-authorization-server',
      isPublic: true,
      options,
    });
  }

  /**
   * Inspect a token.
   *
   * For people who want to know why a dashboard is blank. Takes any text, and says what it is, whether it is accepted
   * now, each check with its result, the group, who has replaced the token, and what to do next. A token of another
   * workspace is `unknown`, like any unknown text. Each call is in the audit log, without the token.
   *
   * Required scope: `tokens:inspect`.
   *
   * `POST /api/v1/tokens/inspect`
   */
  inspectToken(
    body: Schemas['InspectTokenRequest'],
    options: CallOptions = {},
  ): Promise<Schemas['InspectionResponse']> {
    return this.#transport.json({ method: 'POST', path: '/api/v1/tokens/inspect', body, options });
  }

  /**
   * Revoke a token.
   *
   * For a holder of a token (RFC 7009), in JSON or as a form. A current user-group token is replaced without an
   * overlap: the next GET of its group returns the new one. The overlap of a replaced one ends. An embed token ends,
   * and an API token of the workspace, too. A text that is no token of the workspace gets the same response.
   *
   * Required scope: `tokens:rotate`.
   *
   * `POST /api/v1/revoke`
   */
  revokeToken(
    body: Schemas['RevokeTokenRequest'],
    options: CallOptions = {},
  ): Promise<Schemas['RevokeTokenResponse']> {
    return this.#transport.json({
      method: 'POST',
      path: '/api/v1/revoke',
      body,
      isSafe: true,
      options,
    });
  }

  /**
   * Report leaked tokens.
   *
   * For scanners that have found tokens: up to 1,000 texts, such as lines of a log. Each token of the workspace in them
   * is ended as by `POST /api/v1/revoke`, so the next GET of its group returns a new one, and a copy in other hands is
   * inactive. The audit log and an event name each (`user_group_token.leaked`, `embed_token.leaked`,
   * `api_token.leaked`). The response never repeats a token. Each different token counts as a call for the rate limits:
   * while a limit is reached the report waits. It goes on when the client disconnects, and can be repeated. With
   * `dry_run` it says what would end, and ends nothing. A token of another form than `ugt_…` and `uga_…` is found as a
   * word of its own, in quotes, or after `=` or `:`.
   *
   * Required scope: `tokens:rotate`.
   *
   * `POST /api/v1/tokens/report-leaked`
   */
  reportLeakedTokens(
    body: Schemas['ReportLeakedTokensRequest'],
    options: CallOptions = {},
  ): Promise<Schemas['ReportLeakedTokensResponse']> {
    return this.#transport.json({
      method: 'POST',
      path: '/api/v1/tokens/report-leaked',
      body,
      options,
    });
  }

  /**
   * List schemas.
   *
   * The schemas of the workspace in the order of their registration, or the one with your own id `provided_id`.
   *
   * Required scope: `registry:read`.
   *
   * `GET /api/v1/schemas`
   */
  listSchemas(
    query: Query<'listSchemas'> = {},
    options: CallOptions = {},
  ): Pages<Schemas['SchemasResponse'], Schemas['Schema']> {
    return this.#transport.pages(
      { method: 'GET', path: '/api/v1/schemas', query, options },
      'schemas',
    );
  }

  /**
   * Register a schema.
   *
   * A schema is what dashboards are written against, and what a key of a `mapping` names. A workspace has at most 200.
   *
   * Required scope: `registry:write`.
   *
   * `POST /api/v1/schemas`
   */
  createSchema(
    body: Schemas['CreateRegistryEntryRequest'],
    options: CallOptions & { idempotencyKey?: string } = {},
  ): Promise<Schemas['SchemaResponse']> {
    return this.#transport.json({
      method: 'POST',
      path: '/api/v1/schemas',
      body,
      headers: { 'Idempotency-Key': options.idempotencyKey },
      takesKey: true,
      options,
    });
  }

  /**
   * Read a schema.
   *
   * The schema with this internal number.
   *
   * Required scope: `registry:read`.
   *
   * `GET /api/v1/schemas/{id}`
   */
  getSchema(
    id: number,
    options: CallOptions & { ifMatch?: string; ifNoneMatch: string },
  ): Promise<Schemas['SchemaResponse'] | undefined>;
  getSchema(
    id: number,
    options?: CallOptions & { ifMatch?: string; ifNoneMatch?: undefined },
  ): Promise<Schemas['SchemaResponse']>;
  getSchema(
    id: number,
    options: CallOptions & { ifMatch?: string; ifNoneMatch?: string } = {},
  ): Promise<Schemas['SchemaResponse'] | undefined> {
    return this.#transport.json({
      method: 'GET',
      path: '/api/v1/schemas/{id}',
      ids: { id },
      headers: { 'If-Match': options.ifMatch, 'If-None-Match': options.ifNoneMatch },
      options,
    });
  }

  /**
   * Rename a schema.
   *
   * Changes its name. Its provided_id cannot be changed: stored mappings depend on it.
   *
   * Required scope: `registry:write`.
   *
   * `PATCH /api/v1/schemas/{id}`
   */
  updateSchema(
    id: number,
    body: Schemas['UpdateRegistryEntryRequest'],
    options: CallOptions & { ifMatch?: string; ifNoneMatch?: string } = {},
  ): Promise<Schemas['SchemaResponse']> {
    return this.#transport.json({
      method: 'PATCH',
      path: '/api/v1/schemas/{id}',
      ids: { id },
      body,
      mediaType: 'application/merge-patch+json',
      headers: { 'If-Match': options.ifMatch, 'If-None-Match': options.ifNoneMatch },
      options,
    });
  }

  /**
   * Delete a schema.
   *
   * Refused while anything refers to it.
   *
   * Required scope: `registry:write`.
   *
   * `DELETE /api/v1/schemas/{id}`
   */
  deleteSchema(
    id: number,
    options: CallOptions & { ifMatch?: string; ifNoneMatch?: string } = {},
  ): Promise<Schemas['DeletedResponse']> {
    return this.#transport.json({
      method: 'DELETE',
      path: '/api/v1/schemas/{id}',
      ids: { id },
      headers: { 'If-Match': options.ifMatch, 'If-None-Match': options.ifNoneMatch },
      options,
    });
  }

  /**
   * List what refers to a schema.
   *
   * The user groups whose mappings refer to it, and whether the workspace requires it. Under the policy `open` mappings
   * refer to nothing.
   *
   * Required scope: `registry:read`.
   *
   * `GET /api/v1/schemas/{id}/references`
   */
  listSchemaReferences(
    id: number,
    query: Query<'listSchemaReferences'> = {},
    options: CallOptions = {},
  ): Pages<Schemas['ReferencesResponse'], Schemas['UserGroupReference']> {
    return this.#transport.pages(
      { method: 'GET', path: '/api/v1/schemas/{id}/references', ids: { id }, query, options },
      'user_groups',
    );
  }

  /**
   * List data sources.
   *
   * The data sources of the workspace in the order of their registration, or the one with your own id `provided_id`.
   *
   * Required scope: `registry:read`.
   *
   * `GET /api/v1/data-sources`
   */
  listDataSources(
    query: Query<'listDataSources'> = {},
    options: CallOptions = {},
  ): Pages<Schemas['DataSourcesResponse'], Schemas['DataSource']> {
    return this.#transport.pages(
      { method: 'GET', path: '/api/v1/data-sources', query, options },
      'data_sources',
    );
  }

  /**
   * Register a data source.
   *
   * A data source is what is queried, and what a value of a `mapping` names: by your own id, or by its number.
   *
   * Required scope: `registry:write`.
   *
   * `POST /api/v1/data-sources`
   */
  createDataSource(
    body: Schemas['CreateRegistryEntryRequest'],
    options: CallOptions & { idempotencyKey?: string } = {},
  ): Promise<Schemas['DataSourceResponse']> {
    return this.#transport.json({
      method: 'POST',
      path: '/api/v1/data-sources',
      body,
      headers: { 'Idempotency-Key': options.idempotencyKey },
      takesKey: true,
      options,
    });
  }

  /**
   * Read a data source.
   *
   * The data source with this internal number.
   *
   * Required scope: `registry:read`.
   *
   * `GET /api/v1/data-sources/{id}`
   */
  getDataSource(
    id: number,
    options: CallOptions & { ifMatch?: string; ifNoneMatch: string },
  ): Promise<Schemas['DataSourceResponse'] | undefined>;
  getDataSource(
    id: number,
    options?: CallOptions & { ifMatch?: string; ifNoneMatch?: undefined },
  ): Promise<Schemas['DataSourceResponse']>;
  getDataSource(
    id: number,
    options: CallOptions & { ifMatch?: string; ifNoneMatch?: string } = {},
  ): Promise<Schemas['DataSourceResponse'] | undefined> {
    return this.#transport.json({
      method: 'GET',
      path: '/api/v1/data-sources/{id}',
      ids: { id },
      headers: { 'If-Match': options.ifMatch, 'If-None-Match': options.ifNoneMatch },
      options,
    });
  }

  /**
   * Rename a data source.
   *
   * Changes its name. Its provided_id cannot be changed: stored mappings depend on it.
   *
   * Required scope: `registry:write`.
   *
   * `PATCH /api/v1/data-sources/{id}`
   */
  updateDataSource(
    id: number,
    body: Schemas['UpdateRegistryEntryRequest'],
    options: CallOptions & { ifMatch?: string; ifNoneMatch?: string } = {},
  ): Promise<Schemas['DataSourceResponse']> {
    return this.#transport.json({
      method: 'PATCH',
      path: '/api/v1/data-sources/{id}',
      ids: { id },
      body,
      mediaType: 'application/merge-patch+json',
      headers: { 'If-Match': options.ifMatch, 'If-None-Match': options.ifNoneMatch },
      options,
    });
  }

  /**
   * Delete a data source.
   *
   * Refused while anything refers to it.
   *
   * Required scope: `registry:write`.
   *
   * `DELETE /api/v1/data-sources/{id}`
   */
  deleteDataSource(
    id: number,
    options: CallOptions & { ifMatch?: string; ifNoneMatch?: string } = {},
  ): Promise<Schemas['DeletedResponse']> {
    return this.#transport.json({
      method: 'DELETE',
      path: '/api/v1/data-sources/{id}',
      ids: { id },
      headers: { 'If-Match': options.ifMatch, 'If-None-Match': options.ifNoneMatch },
      options,
    });
  }

  /**
   * List what refers to a data source.
   *
   * The user groups whose mappings refer to it. Under the policy `open` mappings refer to nothing.
   *
   * Required scope: `registry:read`.
   *
   * `GET /api/v1/data-sources/{id}/references`
   */
  listDataSourceReferences(
    id: number,
    query: Query<'listDataSourceReferences'> = {},
    options: CallOptions = {},
  ): Pages<Schemas['ReferencesResponse'], Schemas['UserGroupReference']> {
    return this.#transport.pages(
      { method: 'GET', path: '/api/v1/data-sources/{id}/references', ids: { id }, query, options },
      'user_groups',
    );
  }

  /**
   * End all tokens issued before a moment.
   *
   * For leaks of many tokens. Every user-group token, or embed token, that the workspace issued or imported before
   * `before` is inactive in every replica within a second, and its holder cannot rotate it. The next GET or PUT of
   * /api/user for a group issues a fresh token; `POST /api/v1/user-groups/{id}/tokens/rotate` does so at once. A time
   * is never moved back, so repeating a call changes nothing. With `dry_run` the call counts the tokens and ends none.
   *
   * Required scope: `admin`.
   *
   * `POST /api/v1/workspace/end-tokens`
   */
  endTokens(
    body: Schemas['EndTokensRequest'],
    options: CallOptions = {},
  ): Promise<Schemas['EndTokensResponse']> {
    return this.#transport.json({
      method: 'POST',
      path: '/api/v1/workspace/end-tokens',
      body,
      options,
    });
  }

  /**
   * Read the settings of the workspace.
   *
   * The workspace of the API token: its id, its requirements for every user group, the issuer and the audiences of its
   * embed tokens, and whether somebody can view as a user group.
   *
   * Required scope: `registry:read`.
   *
   * `GET /api/v1/workspace`
   */
  getWorkspace(
    options: CallOptions & { ifMatch?: string; ifNoneMatch: string },
  ): Promise<Schemas['WorkspaceResponse'] | undefined>;
  getWorkspace(
    options?: CallOptions & { ifMatch?: string; ifNoneMatch?: undefined },
  ): Promise<Schemas['WorkspaceResponse']>;
  getWorkspace(
    options: CallOptions & { ifMatch?: string; ifNoneMatch?: string } = {},
  ): Promise<Schemas['WorkspaceResponse'] | undefined> {
    return this.#transport.json({
      method: 'GET',
      path: '/api/v1/workspace',
      headers: { 'If-Match': options.ifMatch, 'If-None-Match': options.ifNoneMatch },
      options,
    });
  }

  /**
   * Change the settings of the workspace.
   *
   * Stores every setting that is sent. A change to `registered` resolves every stored mapping and is refused if one
   * cannot be; a change to `open` forgets what they were resolved to. A new requirement is never refused for groups
   * that do not meet it: their tokens are inactive until they do.
   *
   * Required scope: `registry:write`.
   *
   * `PATCH /api/v1/workspace`
   */
  updateWorkspace(
    body: Schemas['UpdateWorkspaceRequest'],
    options: CallOptions & { ifMatch?: string; ifNoneMatch?: string } = {},
  ): Promise<Schemas['WorkspaceResponse']> {
    return this.#transport.json({
      method: 'PATCH',
      path: '/api/v1/workspace',
      body,
      mediaType: 'application/merge-patch+json',
      headers: { 'If-Match': options.ifMatch, 'If-None-Match': options.ifNoneMatch },
      options,
    });
  }

  /**
   * Read the id of the workspace.
   *
   * The id of the workspace of the API token, and the issuer of its embed tokens. A program that verifies embed tokens
   * offline needs both. Every API token may read it, whatever its scopes.
   *
   * `GET /api/v1/workspace/identity`
   */
  getWorkspaceIdentity(options: CallOptions = {}): Promise<Schemas['WorkspaceIdentityResponse']> {
    return this.#transport.json({ method: 'GET', path: '/api/v1/workspace/identity', options });
  }

  /**
   * List the user groups that prevent the policy `registered`.
   *
   * The user groups whose mappings name what is not registered, or one schema by two keys; none while the policy is
   * `registered`.
   *
   * Required scope: `registry:read`.
   *
   * `GET /api/v1/workspace/unresolvable-mappings`
   */
  listUnresolvableMappings(
    query: Query<'listUnresolvableMappings'> = {},
    options: CallOptions = {},
  ): Pages<Schemas['UserGroupIssuesResponse'], Schemas['UserGroupIssues']> {
    return this.#transport.pages(
      { method: 'GET', path: '/api/v1/workspace/unresolvable-mappings', query, options },
      'user_groups',
    );
  }

  /**
   * List the user groups that a new requirement would make incomplete.
   *
   * The user groups that meet the present requirements but not those of the body: their tokens would become inactive.
   * Each is listed with every requirement that it would not meet. Nothing is changed.
   *
   * Required scope: `registry:write`.
   *
   * `POST /api/v1/workspace/incomplete-user-groups/preview`
   */
  previewIncompleteUserGroups(
    body: Schemas['WorkspaceRequirements'] = {},
    query: Query<'previewIncompleteUserGroups'> = {},
    options: CallOptions = {},
  ): Pages<Schemas['UserGroupIssuesResponse'], Schemas['UserGroupIssues']> {
    return this.#transport.pages(
      {
        method: 'POST',
        path: '/api/v1/workspace/incomplete-user-groups/preview',
        body,
        query,
        isSafe: true,
        options,
      },
      'user_groups',
    );
  }

  /**
   * List targets.
   *
   * The tools that the workspace has declared, in the order of their names, without secrets.
   *
   * Required scope: `targets:read`.
   *
   * `GET /api/v1/targets`
   */
  listTargets(
    query: Query<'listTargets'> = {},
    options: CallOptions = {},
  ): Pages<Schemas['TargetsResponse'], Schemas['TargetView']> {
    return this.#transport.pages(
      { method: 'GET', path: '/api/v1/targets', query, options },
      'targets',
    );
  }

  /**
   * Read a target.
   *
   * The target of this name, without its secrets.
   *
   * Required scope: `targets:read`.
   *
   * `GET /api/v1/targets/{name}`
   */
  getTarget(
    name: string,
    options: CallOptions & { ifMatch?: string; ifNoneMatch: string },
  ): Promise<Schemas['TargetResponse'] | undefined>;
  getTarget(
    name: string,
    options?: CallOptions & { ifMatch?: string; ifNoneMatch?: undefined },
  ): Promise<Schemas['TargetResponse']>;
  getTarget(
    name: string,
    options: CallOptions & { ifMatch?: string; ifNoneMatch?: string } = {},
  ): Promise<Schemas['TargetResponse'] | undefined> {
    return this.#transport.json({
      method: 'GET',
      path: '/api/v1/targets/{name}',
      ids: { name },
      headers: { 'If-Match': options.ifMatch, 'If-None-Match': options.ifNoneMatch },
      options,
    });
  }

  /**
   * Create or replace a target.
   *
   * Declares a tool of the workspace and the claims of its tokens, which `target` of a call for an embed token then
   * issues. Each kind refuses what would be unsafe in its tool. Secrets are write-only: a key without one keeps the
   * stored one of its id. To replace a secret without an outage, PUT both with the old one first; teach the tool the
   * new one; PUT the new one first; later leave the old one out. A workspace has at most 50 targets.
   *
   * Required scope: `targets:write`.
   *
   * `PUT /api/v1/targets/{name}`
   */
  putTarget(
    name: string,
    body: Schemas['PutTargetRequest'],
    options: CallOptions & { ifMatch?: string; ifNoneMatch?: string } = {},
  ): Promise<Schemas['TargetResponse']> {
    return this.#transport.json({
      method: 'PUT',
      path: '/api/v1/targets/{name}',
      ids: { name },
      body,
      headers: { 'If-Match': options.ifMatch, 'If-None-Match': options.ifNoneMatch },
      options,
    });
  }

  /**
   * Delete a target.
   *
   * The target issues no more tokens. Those that it has issued are valid until they expire.
   *
   * Required scope: `targets:write`.
   *
   * `DELETE /api/v1/targets/{name}`
   */
  deleteTarget(
    name: string,
    options: CallOptions & { ifMatch?: string; ifNoneMatch?: string } = {},
  ): Promise<Schemas['DeletedResponse']> {
    return this.#transport.json({
      method: 'DELETE',
      path: '/api/v1/targets/{name}',
      ids: { name },
      headers: { 'If-Match': options.ifMatch, 'If-None-Match': options.ifNoneMatch },
      options,
    });
  }

  /**
   * Read how the tool of a target is set up.
   *
   * The settings to paste into the tool, with the audience, the issuer and the public keys of this target, and without
   * its secrets.
   *
   * Required scope: `targets:read`.
   *
   * `GET /api/v1/targets/{name}/setup`
   */
  getTargetSetup(name: string, options: CallOptions = {}): Promise<Schemas['TargetSetupResponse']> {
    return this.#transport.json({
      method: 'GET',
      path: '/api/v1/targets/{name}/setup',
      ids: { name },
      options,
    });
  }

  /**
   * Read the usage of the workspace.
   *
   * Views, embed tokens, introspections and users, by the day or hour with an entry for each, the oldest first; or by
   * group, the busiest first: those with the most views, then embed tokens, then introspections. As JSON, or as CSV for
   * `Accept: text/csv`. Counts can be a minute old. Do not bill by them: a renderer that crashes loses the views of a
   * minute.
   *
   * Required scope: `usage:read`.
   *
   * `GET /api/v1/usage`
   */
  listUsage(
    query: Query<'listUsage'> = {},
    options: CallOptions = {},
  ): Pages<Schemas['UsageResponse'], Schemas['Usage']> {
    return this.#transport.pages({ method: 'GET', path: '/api/v1/usage', query, options }, 'usage');
  }

  /**
   * Read the usage of a user group.
   *
   * The same counts for one group, by the day or hour, the oldest first. As JSON, or as CSV for `Accept: text/csv`.
   *
   * Required scope: `usage:read`.
   *
   * `GET /api/v1/user-groups/{id}/usage`
   */
  listUserGroupUsage(
    id: string,
    query: Query<'listUserGroupUsage'> = {},
    options: CallOptions = {},
  ): Pages<Schemas['UsageResponse'], Schemas['Usage']> {
    return this.#transport.pages(
      { method: 'GET', path: '/api/v1/user-groups/{id}/usage', ids: { id }, query, options },
      'usage',
    );
  }

  /**
   * Report views.
   *
   * For renderers, which send once a minute what they have shown: most views never reach the service, because renderers
   * cache introspections. A batch that is sent again counts nothing and gets the same response, so that it can be
   * retried. A `sub` that is no user group of the workspace is counted for nobody; `unknown` lists its place.
   *
   * Required scope: `tokens:introspect`.
   *
   * `POST /api/v1/usage/batches`
   */
  reportUsage(
    body: Schemas['UsageBatchRequest'],
    options: CallOptions = {},
  ): Promise<Schemas['UsageBatchResponse']> {
    return this.#transport.json({ method: 'POST', path: '/api/v1/usage/batches', body, options });
  }

  /**
   * Get the limits of a user group.
   *
   * The most that the group may use in a day and a month of UTC.
   *
   * Required scope: `user-groups:read`.
   *
   * `GET /api/v1/user-groups/{id}/limits`
   */
  getUserGroupLimits(
    id: string,
    options: CallOptions = {},
  ): Promise<Schemas['UserGroupLimitsResponse']> {
    return this.#transport.json({
      method: 'GET',
      path: '/api/v1/user-groups/{id}/limits',
      ids: { id },
      options,
    });
  }

  /**
   * Replace the limits of a user group.
   *
   * A limit that is not sent is removed. The events `user_group.quota_near` and `user_group.quota_reached` tell of 80 %
   * and 100 %, each once in a day or month. With `refuse_embed_tokens` issuing an embed token then returns 429
   * `quota_reached` until the day ends. Introspection goes on.
   *
   * Required scope: `user-groups:write`.
   *
   * `PUT /api/v1/user-groups/{id}/limits`
   */
  replaceUserGroupLimits(
    id: string,
    body: Schemas['UserGroupLimitsRequest'],
    options: CallOptions = {},
  ): Promise<Schemas['UserGroupLimitsResponse']> {
    return this.#transport.json({
      method: 'PUT',
      path: '/api/v1/user-groups/{id}/limits',
      ids: { id },
      body,
      options,
    });
  }

  /**
   * List webhook endpoints.
   *
   * The endpoints of the workspace in the order of their creation, including disabled ones.
   *
   * Required scope: `webhooks:read`.
   *
   * `GET /api/v1/webhook-endpoints`
   */
  listWebhookEndpoints(
    query: Query<'listWebhookEndpoints'> = {},
    options: CallOptions = {},
  ): Pages<Schemas['WebhookEndpointsResponse'], Schemas['WebhookEndpoint']> {
    return this.#transport.pages(
      { method: 'GET', path: '/api/v1/webhook-endpoints', query, options },
      'webhook_endpoints',
    );
  }

  /**
   * Create a webhook endpoint.
   *
   * From then on, events of its types are posted to it (Standard Webhooks 1.0). The response shows the secret of `v1`,
   * once.
   *
   * Required scope: `webhooks:write`.
   *
   * `POST /api/v1/webhook-endpoints`
   */
  createWebhookEndpoint(
    body: Schemas['CreateWebhookEndpointRequest'],
    options: CallOptions & { idempotencyKey?: string } = {},
  ): Promise<Schemas['WebhookEndpointWithSecretResponse']> {
    return this.#transport.json({
      method: 'POST',
      path: '/api/v1/webhook-endpoints',
      body,
      headers: { 'Idempotency-Key': options.idempotencyKey },
      takesKey: true,
      options,
    });
  }

  /**
   * Read a webhook endpoint.
   *
   * The endpoint without its secret and the values of its headers.
   *
   * Required scope: `webhooks:read`.
   *
   * `GET /api/v1/webhook-endpoints/{id}`
   */
  getWebhookEndpoint(
    id: number,
    options: CallOptions & { ifMatch?: string; ifNoneMatch: string },
  ): Promise<Schemas['WebhookEndpointResponse'] | undefined>;
  getWebhookEndpoint(
    id: number,
    options?: CallOptions & { ifMatch?: string; ifNoneMatch?: undefined },
  ): Promise<Schemas['WebhookEndpointResponse']>;
  getWebhookEndpoint(
    id: number,
    options: CallOptions & { ifMatch?: string; ifNoneMatch?: string } = {},
  ): Promise<Schemas['WebhookEndpointResponse'] | undefined> {
    return this.#transport.json({
      method: 'GET',
      path: '/api/v1/webhook-endpoints/{id}',
      ids: { id },
      headers: { 'If-Match': options.ifMatch, 'If-None-Match': options.ifNoneMatch },
      options,
    });
  }

  /**
   * Change a webhook endpoint.
   *
   * Changes url, description, event_types or headers, or switches it on or off; what is not sent stays.
   *
   * Required scope: `webhooks:write`.
   *
   * `PATCH /api/v1/webhook-endpoints/{id}`
   */
  updateWebhookEndpoint(
    id: number,
    body: Schemas['UpdateWebhookEndpointRequest'],
    options: CallOptions & { ifMatch?: string; ifNoneMatch?: string } = {},
  ): Promise<Schemas['WebhookEndpointResponse']> {
    return this.#transport.json({
      method: 'PATCH',
      path: '/api/v1/webhook-endpoints/{id}',
      ids: { id },
      body,
      mediaType: 'application/merge-patch+json',
      headers: { 'If-Match': options.ifMatch, 'If-None-Match': options.ifNoneMatch },
      options,
    });
  }

  /**
   * Delete a webhook endpoint.
   *
   * Nothing more is sent to it; its deliveries and attempts are deleted with it.
   *
   * Required scope: `webhooks:write`.
   *
   * `DELETE /api/v1/webhook-endpoints/{id}`
   */
  deleteWebhookEndpoint(
    id: number,
    options: CallOptions & { ifMatch?: string; ifNoneMatch?: string } = {},
  ): Promise<Schemas['DeletedResponse']> {
    return this.#transport.json({
      method: 'DELETE',
      path: '/api/v1/webhook-endpoints/{id}',
      ids: { id },
      headers: { 'If-Match': options.ifMatch, 'If-None-Match': options.ifNoneMatch },
      options,
    });
  }

  /**
   * Roll the secret of a webhook endpoint.
   *
   * Creates a new secret, which the response shows once. For `grace_period_seconds` each message is signed with both;
   * an even older secret ends at once.
   *
   * Required scope: `webhooks:write`.
   *
   * `POST /api/v1/webhook-endpoints/{id}/roll-secret`
   */
  rollWebhookSecret(
    id: number,
    body: Schemas['RollWebhookSecretRequest'] = {},
    options: CallOptions & { idempotencyKey?: string } = {},
  ): Promise<Schemas['WebhookEndpointWithSecretResponse']> {
    return this.#transport.json({
      method: 'POST',
      path: '/api/v1/webhook-endpoints/{id}/roll-secret',
      ids: { id },
      body,
      headers: { 'Idempotency-Key': options.idempotencyKey },
      takesKey: true,
      options,
    });
  }

  /**
   * List attempts to send webhooks.
   *
   * The attempts to send events to the endpoint, latest first, with the beginning of each response.
   *
   * Required scope: `webhooks:read`.
   *
   * `GET /api/v1/webhook-endpoints/{id}/attempts`
   */
  listWebhookAttempts(
    id: number,
    query: Query<'listWebhookAttempts'> = {},
    options: CallOptions = {},
  ): Pages<Schemas['WebhookAttemptsResponse'], Schemas['WebhookAttempt']> {
    return this.#transport.pages(
      {
        method: 'GET',
        path: '/api/v1/webhook-endpoints/{id}/attempts',
        ids: { id },
        query,
        options,
      },
      'attempts',
    );
  }

  /**
   * Send a test event.
   *
   * Sends one event of the type `webhook.test` to this endpoint alone, at once and once, signed as any other, and
   * returns what the endpoint responded. An endpoint that is disabled or pauses gets it, too. The attempt is listed; a
   * failure does not disable the endpoint.
   *
   * Required scope: `webhooks:write`.
   *
   * `POST /api/v1/webhook-endpoints/{id}/test`
   */
  sendTestEvent(id: number, options: CallOptions = {}): Promise<Schemas['WebhookTestResponse']> {
    return this.#transport.json({
      method: 'POST',
      path: '/api/v1/webhook-endpoints/{id}/test',
      ids: { id },
      options,
    });
  }

  /**
   * Send webhooks again.
   *
   * Sends one event again, or those of a period that have not arrived, each under its `webhook-id`, by which the
   * receiver recognises repetitions. A disabled endpoint gets them once it is enabled. The events of a period are
   * scheduled in the background, one replay of a workspace at a time. With `dry_run` they are counted alone.
   *
   * Required scope: `webhooks:write`.
   *
   * `POST /api/v1/webhook-endpoints/{id}/replay`
   */
  replayWebhooks(
    id: number,
    body: Schemas['ReplayWebhooksRequest'] = {},
    options: CallOptions & { idempotencyKey?: string } = {},
  ): Promise<Schemas['WebhookReplayResponse']> {
    return this.#transport.json({
      method: 'POST',
      path: '/api/v1/webhook-endpoints/{id}/replay',
      ids: { id },
      body,
      headers: { 'Idempotency-Key': options.idempotencyKey },
      takesKey: true,
      options,
    });
  }

  /**
   * List API tokens.
   *
   * The API tokens of the workspace in the order of their creation, including those that have ended unless `state`
   * leaves them out; never the token itself.
   *
   * Required scope: `admin`.
   *
   * `GET /api/v1/api-tokens`
   */
  listApiTokens(
    query: Query<'listApiTokens'> = {},
    options: CallOptions = {},
  ): Pages<Schemas['ApiTokensResponse'], Schemas['ApiToken']> {
    return this.#transport.pages(
      { method: 'GET', path: '/api/v1/api-tokens', query, options },
      'api_tokens',
    );
  }

  /**
   * Issue an API token.
   *
   * The response shows the token, once. A caller can grant only what it has: scopes, expiry, allowed_cidrs and
   * user_groups must lie within those of the token that calls.
   *
   * Required scope: `admin`.
   *
   * `POST /api/v1/api-tokens`
   */
  createApiToken(
    body: Schemas['CreateApiTokenRequest'],
    options: CallOptions & { idempotencyKey?: string } = {},
  ): Promise<Schemas['ApiTokenWithSecretResponse']> {
    return this.#transport.json({
      method: 'POST',
      path: '/api/v1/api-tokens',
      body,
      headers: { 'Idempotency-Key': options.idempotencyKey },
      takesKey: true,
      options,
    });
  }

  /**
   * Read an API token.
   *
   * The details of the token, without the token itself. A use of the token, and so its last_used_at, does not change
   * the `ETag`.
   *
   * Required scope: `admin`.
   *
   * `GET /api/v1/api-tokens/{id}`
   */
  getApiToken(
    id: number,
    options: CallOptions & { ifMatch?: string; ifNoneMatch: string },
  ): Promise<Schemas['ApiTokenResponse'] | undefined>;
  getApiToken(
    id: number,
    options?: CallOptions & { ifMatch?: string; ifNoneMatch?: undefined },
  ): Promise<Schemas['ApiTokenResponse']>;
  getApiToken(
    id: number,
    options: CallOptions & { ifMatch?: string; ifNoneMatch?: string } = {},
  ): Promise<Schemas['ApiTokenResponse'] | undefined> {
    return this.#transport.json({
      method: 'GET',
      path: '/api/v1/api-tokens/{id}',
      ids: { id },
      headers: { 'If-Match': options.ifMatch, 'If-None-Match': options.ifNoneMatch },
      options,
    });
  }

  /**
   * Change an API token.
   *
   * Changes name, scopes, expiry, allowed_cidrs or user_groups; what is not sent stays. Every replica follows within a
   * second.
   *
   * Required scope: `admin`.
   *
   * `PATCH /api/v1/api-tokens/{id}`
   */
  updateApiToken(
    id: number,
    body: Schemas['UpdateApiTokenRequest'],
    options: CallOptions & { ifMatch?: string; ifNoneMatch?: string } = {},
  ): Promise<Schemas['ApiTokenResponse']> {
    return this.#transport.json({
      method: 'PATCH',
      path: '/api/v1/api-tokens/{id}',
      ids: { id },
      body,
      mediaType: 'application/merge-patch+json',
      headers: { 'If-Match': options.ifMatch, 'If-None-Match': options.ifNoneMatch },
      options,
    });
  }

  /**
   * Rotate an API token.
   *
   * Issues a new token with the same name, scopes, expiry, allowed_cidrs and user_groups, under an id of its own. The
   * old one stays valid for `grace_period_seconds`. It can be revoked earlier, and ends when the new one is rotated.
   * Until then it has the same access as before, but cannot administer API tokens: its successor can.
   *
   * Required scope: `admin`.
   *
   * `POST /api/v1/api-tokens/{id}/rotate`
   */
  rotateApiToken(
    id: number,
    body: Schemas['RotateApiTokenRequest'] = {},
    options: CallOptions & { idempotencyKey?: string } = {},
  ): Promise<Schemas['ApiTokenWithSecretResponse']> {
    return this.#transport.json({
      method: 'POST',
      path: '/api/v1/api-tokens/{id}/rotate',
      ids: { id },
      body,
      headers: { 'Idempotency-Key': options.idempotencyKey },
      takesKey: true,
      options,
    });
  }

  /**
   * Revoke an API token.
   *
   * Ends the token; every replica refuses it within a second. The last token of the workspace with the scope `admin`
   * cannot be revoked here.
   *
   * Required scope: `admin`.
   *
   * `POST /api/v1/api-tokens/{id}/revoke`
   */
  revokeApiToken(id: number, options: CallOptions = {}): Promise<Schemas['ApiTokenResponse']> {
    return this.#transport.json({
      method: 'POST',
      path: '/api/v1/api-tokens/{id}/revoke',
      ids: { id },
      options,
    });
  }

  /**
   * Count groups and tokens of the workspace.
   *
   * Counts the user groups, those that need attention, the replaced tokens that are still valid, and, for API tokens
   * with the scope `admin`, the API tokens. Calls share a count, which is as old as `as_of` says.
   *
   * Required scope: `user-groups:read`.
   *
   * `GET /api/v1/overview`
   */
  getOverview(options: CallOptions = {}): Promise<Schemas['OverviewResponse']> {
    return this.#transport.json({ method: 'GET', path: '/api/v1/overview', options });
  }

  /**
   * Read the activity of the workspace, by the hour or day.
   *
   * Counts the tokens introspected, tokens of user groups replaced and user groups created, in all processes together;
   * one point for each hour or day of the period, at most 2,200. Kept for 90 days; the last point lags by up to five
   * seconds.
   *
   * Required scope: `user-groups:read`.
   *
   * `GET /api/v1/overview/activity`
   */
  getActivity(
    query: Query<'getActivity'> = {},
    options: CallOptions = {},
  ): Promise<Schemas['ActivityResponse']> {
    return this.#transport.json({
      method: 'GET',
      path: '/api/v1/overview/activity',
      query,
      options,
    });
  }

  /**
   * Describe the installation.
   *
   * The version of the service, its database, the ids of its encryption keys and its settings, for administrators of
   * every workspace: no secrets, no addresses, and nothing of other workspaces. The configuration is that of the
   * process that handles the request.
   *
   * Required scope: `admin`.
   *
   * `GET /api/v1/system`
   */
  getSystem(options: CallOptions = {}): Promise<Schemas['SystemResponse']> {
    return this.#transport.json({ method: 'GET', path: '/api/v1/system', options });
  }

  /**
   * List audit events.
   *
   * The events of the workspace, newest first: every change with who made it, from where, and what it changed; who was
   * shown tokens of groups, summed per hour; and refused calls. Filters can be combined. With `types`, `object_type`,
   * `api_token_id` or `search` one call examines 1,000 events at most: a page may have fewer events than asked for, or
   * none, and still a `next_cursor`.
   *
   * Required scope: `audit:read`.
   *
   * `GET /api/v1/audit-events`
   */
  listAuditEvents(
    query: Query<'listAuditEvents'> = {},
    options: CallOptions = {},
  ): Pages<Schemas['AuditEventsResponse'], Schemas['AuditEvent']> {
    return this.#transport.pages(
      { method: 'GET', path: '/api/v1/audit-events', query, options },
      'audit_events',
    );
  }

  /**
   * Export audit events.
   *
   * Every event that matches the filters of the list, newest first. The last line is the summary: without it the
   * response was cut off. Events recorded meanwhile are not included. At most 2 exports of an API token run at once.
   *
   * Required scope: `audit:read`.
   *
   * `POST /api/v1/audit-events/export`
   */
  exportAuditEvents(
    body: Schemas['ExportAuditEventsRequest'] = {},
    options: CallOptions = {},
  ): AsyncGenerator<Schemas['AuditEvent'] | Schemas['AuditExportSummary'], void> {
    return this.#transport.lines({
      method: 'POST',
      path: '/api/v1/audit-events/export',
      body,
      isSafe: true,
      options,
    });
  }

  /**
   * List events.
   *
   * The changes of the workspace, oldest first: each change of a group, its tokens, an API token, and of everything
   * that all groups depend on. Every event comes at least once; a repeated one has the same `id`. Call again with
   * `after` set to `next_cursor`, and with `wait` to get a response as soon as something happens. Events are kept for
   * EVENT_RETENTION_HOURS: a later request gets a 410. They say what has changed, not how, and never hold a token.
   *
   * Required scope: `events:read`.
   *
   * `GET /api/v1/events`
   */
  listEvents(
    query: Query<'listEvents'> = {},
    options: CallOptions = {},
  ): Pages<Schemas['EventsResponse'], Schemas['Event']> {
    return this.#transport.pages(
      { method: 'GET', path: '/api/v1/events', query, options },
      'events',
      'after',
    );
  }

  /**
   * Follow events.
   *
   * Returns the events as they happen, as server-sent events. `change` has one in its data. `open` begins the stream
   * with the time in milliseconds at which the call arrived. `current` comes at least four times a second and says that
   * every event before `at`, by the same clock, has been sent; until it comes, events may be missing. Resume with the
   * last `id` as `Last-Event-ID`: `open` has the one at which the stream begins, and of events that are sent together
   * the last. The stream ends after five minutes at the latest, before a restart, or when its reader is too slow: `end`
   * says why. At most 50 streams and waiting calls of an API token at once.
   *
   * Required scope: `events:read`.
   *
   * `GET /api/v1/events/stream`
   */
  streamEvents(
    query: Query<'streamEvents'> = {},
    options: CallOptions & { lastEventId?: string } = {},
  ): AsyncGenerator<StreamMessage, void> {
    return this.#transport.events({
      method: 'GET',
      path: '/api/v1/events/stream',
      query,
      headers: { 'Last-Event-ID': options.lastEventId },
      options,
    });
  }

  /**
   * Whether the process works.
   *
   * Does not use the database: a process that cannot reach its database is no better after a restart. Needs no API
   * token.
   *
   * `GET /health/live`
   */
  getLiveness(options: CallOptions = {}): Promise<Schemas['LiveResponse']> {
    return this.#transport.json({ method: 'GET', path: '/health/live', isPublic: true, options });
  }

  /**
   * Check whether the process takes requests.
   *
   * 503 while its database cannot be reached (`database_unavailable`) or lacks a migration (`migrations_pending`),
   * before the first API token is there (`starting`), and from SIGTERM on (`shutting_down`). The database is asked at
   * most once a second. Needs no API token.
   *
   * `GET /health/ready`
   */
  getReadiness(options: CallOptions = {}): Promise<Schemas['ReadyResponse']> {
    return this.#transport.json({ method: 'GET', path: '/health/ready', isPublic: true, options });
  }

  /**
   * Yields the events of the workspace as they happen, from one stream after the other: it goes on by itself after a
   * lost connection and at the end of a stream. Each event comes at least once. It ends when its reader or `signal` ends
   * it, or with an `ApiError` that no other stream would mend, such as 410 `events_gone`.
   */
  followEvents(options: FollowOptions = {}): AsyncGenerator<FollowedEvent, void> {
    const { types, signal } = options;
    const open = (lastEventId?: string) =>
      this.streamEvents(
        { ...(types !== undefined && { types }) },
        {
          ...(lastEventId !== undefined && { lastEventId }),
          ...(signal && { signal }),
        },
      );
    return follow(open, options);
  }
}
