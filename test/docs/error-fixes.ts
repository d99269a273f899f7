/** The cause of an error, if the sentence of the catalogue does not give it, and the way to fix it. */
interface Fix {
  cause?: string;
  fix: string;
}

/** The fix for each code of the catalogue, for docs/reference/errors.md. */
export const errorFixes: Record<string, Fix> = {
  request_malformed: {
    fix: 'Send HTTP/1.1, and percent-encode the path. If a proxy stands between, look at what it makes of the request.',
  },
  refused: { fix: 'Read `detail`: it is the text of the plugin or application.' },
  body_missing: {
    cause:
      'The request arrived without its JSON body. `fetch`, some SDKs, proxies and CDNs drop or refuse the body of a GET.',
    fix: 'Send a JSON body. If the body of a `GET` is dropped on the way, send it with `PUT /api/user`, or as `POST /api/user` with the header `X-HTTP-Method-Override: GET`. Or call `GET /api/v1/user-groups/{id}`, which needs no body.',
  },
  body_incomplete: {
    fix: 'Repeat the request. If it happens again, look at time-outs and size limits of the proxies between.',
  },
  idempotency_key_invalid: { fix: 'Send one header with one key, such as a UUID.' },
  precondition_malformed: { fix: 'Send the `ETag` of a response as it is, with its quotes.' },
  body_not_utf8: { fix: 'Encode the body, or the file of the import, as UTF-8.' },
  json_malformed: {
    fix: 'Correct the JSON at the place that `detail` names. Let a library write it.',
  },
  json_duplicate_key: { fix: 'Send each key once.' },
  credentials_ambiguous: {
    cause: 'The request has an API token in more than one place.',
    fix: 'Send it in the `Authorization` header, or once as `client_secret`.',
  },
  credentials_missing: {
    cause: 'The request has no API token.',
    fix: 'Send the header `Authorization: Token <API_TOKEN>`. Introspection also takes HTTP Basic, and `client_secret` in a form.',
  },
  credentials_malformed: {
    fix: 'Send `Token`, one space, and the API token. Below `/api/v1` the word can be `Bearer`.',
  },
  api_token_invalid: {
    fix: 'Look at the token with `token list`, or in the console: its last four characters find it. Issue another one if it has ended. A `ugt_…` token is a user-group token, which cannot call the API.',
  },
  viewer_unknown: {
    fix: 'Issue a token for the viewer, and send it. [Gateways](../guides/gateways.md) has what the page around the dashboard does.',
  },
  viewer_refused: {
    cause:
      'The token is valid, but not for what is behind the gateway; or a header of the request could be read as one of the gateway.',
    fix: 'Read `detail`. Issue the embed token for the audience and origin of the settings; give the group what the settings hand on.',
  },
  gateway_misconfigured: {
    cause: 'The API token or the settings that the gateway sends are wrong.',
    fix: 'Read `detail`, and correct `X-Gateway-Authorization` or `X-Gateway-Settings` in the settings of the [gateway](../guides/gateways.md).',
  },
  gateway_limited: {
    cause:
      'The gateway asks faster than its limit allows, or has sent a wrong API token too often.',
    fix: 'Wait for `Retry-After` seconds. Raise `INTROSPECTION_RATE_LIMIT_PER_MINUTE`, exclude static paths from the check, or correct the API token.',
  },
  session_missing: { fix: 'Sign in to the console, or call `/api` with an API token.' },
  session_ended: {
    cause:
      'The session has ended: signed out, ended by a person, unused for 30 minutes, 12 hours old, or its API token is revoked or expired.',
    fix: 'Sign in again.',
  },
  insufficient_scope: {
    fix: 'Give the API token the scope (`token update`, `PATCH /api/v1/api-tokens/{id}`), or use a token that has it. No scope implies another.',
  },
  grant_exceeds_caller: {
    fix: 'Grant only what the calling token holds, or use a token that holds more. The command line can grant everything.',
  },
  address_not_allowed: {
    fix: 'Add the address to `allowed_cidrs`. Behind a proxy, set `TRUST_PROXY`: without it every request has the address of the proxy.',
  },
  token_restricted: {
    fix: 'Use an API token for all user groups. The operations that a restricted token may call have `x-restricted-tokens` in the OpenAPI document.',
  },
  outside_token_scope: {
    fix: 'Write groups that the `user_groups` of the API token admit before and after the call, or use a token that admits this one.',
  },
  view_as_forbidden: { fix: 'Set `view_as` of the workspace to `allowed`, if its owner agrees.' },
  sign_in_failed: {
    fix: 'Begin again in the same browser. If it fails again, the log has the reason with the `request_id`.',
  },
  sign_in_not_granted: {
    fix: 'Compare the claims in the log with `CONSOLE_OIDC_GRANTS`, and add a grant or a group.',
  },
  api_token_superseded: {
    cause:
      'The API token has been rotated. Until its overlap ends, it works, but cannot issue, change, rotate or revoke API tokens.',
    fix: 'Use its successor.',
  },
  console_not_secure: {
    cause:
      'The console takes sign-ins over https only, or on localhost: elsewhere its cookie could be read on the way.',
    fix: 'Set `PUBLIC_URL` to the https URL of the service, and open the console there.',
  },
  cross_site_request: {
    cause:
      'The call does not come from the page of the console, by its `Sec-Fetch-Site` or its `Origin`.',
    fix: 'If it does, set `PUBLIC_URL` to the URL in the address bar.',
  },
  route_not_found: {
    fix: 'Compare the path with `/docs`. If an id with a slash is in it, encode the slash, and see whether a proxy decodes it.',
  },
  public_url_unset: { fix: 'Set `PUBLIC_URL`.' },
  user_group_not_found: {
    cause: 'No user group of the workspace has this id.',
    fix: 'Create it: `GET` or `PUT /api/user` with a `name`. If it should exist, compare the id exactly, and look whether the API token belongs to its workspace.',
  },
  user_group_version_not_found: {
    fix: 'List the versions of the group, and use a number that is there.',
  },
  history_begins_later: {
    fix: 'Ask for a later time. `HISTORY_RETENTION_DAYS` decides how long states are kept from now on.',
  },
  token_not_found: {
    cause:
      'No user group of the workspace holds this token now: it was replaced, or it never was a token of this workspace.',
    fix: 'Read the current token with `GET /api/user` and the `user_group_id`.',
  },
  api_token_not_found: {
    fix: 'List the API tokens of the workspace. Another workspace has its own.',
  },
  session_not_found: { fix: 'List the sessions again: it may have ended.' },
  schema_not_found: {
    fix: 'List the schemas, and use `id` in the path. `?provided_id=` finds one by your own id.',
  },
  data_source_not_found: {
    fix: 'List the data sources, and use `id` in the path. `?provided_id=` finds one by your own id.',
  },
  webhook_endpoint_not_found: { fix: 'List the webhook endpoints of the workspace.' },
  webhook_event_not_found: {
    fix: 'List the attempts of the endpoint. `WEBHOOK_RETENTION_DAYS` decides how long events are kept.',
  },
  method_not_allowed: {
    fix: 'Use a method of the `Allow` header. HEAD is refused on `/api/user`, because it would create groups.',
  },
  request_timeout: {
    fix: 'Send the whole request within 30 seconds. Imports may take longer, but must not pause for 30 seconds.',
  },
  api_token_ended: { fix: 'Issue a new API token.' },
  api_token_of_person: { fix: 'Revoke it: the person gets another one at the next sign-in.' },
  last_admin_token: {
    fix: 'Issue another API token with the scope `admin` first. The command line can revoke it.',
  },
  user_group_inactive: {
    cause:
      'The user group is suspended, expired or incomplete. No embed token is issued until it is active.',
    fix: 'Read `status` and `reasons` with `GET /api/v1/user-groups/{id}`, and remove the reason.',
  },
  user_group_tokens_ended: {
    cause: 'The token of this user group was ended together with all others of the workspace.',
    fix: '`GET` or `PUT /api/user` issues a fresh one.',
  },
  user_group_quota_reached: {
    cause:
      'The workspace has as many user groups as its operator allows. Existing groups can still be written.',
    fix: 'Delete a group, or let the operator raise the quota: `workspace update <name> --user-group-quota <number>`.',
  },
  user_group_renamed: {
    cause: 'The group that had this id was renamed less than 30 days ago.',
    fix: 'Store the id in `renamed_to`, and use that one. To give the former id to another group, rename or delete that one first.',
  },
  user_group_id_taken: {
    fix: 'Choose another id. If the group that has it is a duplicate, delete that group first.',
  },
  change_refused: { fix: 'Read `detail`: it is the text of the rule.' },
  webhook_replay_running: { fix: 'Wait until it has ended, and repeat the request.' },
  webhook_test_refused: {
    fix: 'Repeat it in a moment. If the process sends no webhooks (`WEBHOOK_DELIVERY=off`), call one that does.',
  },
  token_is_current: {
    cause: 'This generation is the current token of the group, and a current token is not revoked.',
    fix: 'Rotate it, or suspend the group.',
  },
  idempotency_key_spent: {
    cause:
      'The call with this `Idempotency-Key` was done, and its response cannot be returned any more. For example, the token that it issued has been replaced since.',
    fix: 'Read the current state. For a user-group token, `GET /api/user` with the `user_group_id`.',
  },
  idempotency_key_reused: {
    cause: 'This `Idempotency-Key` was used for another call or body.',
    fix: 'Use a new key for each call that you mean, and the same key only to repeat it.',
  },
  quota_reached: {
    cause:
      'The [limits](../guides/usage.md#limits) of the group refuse more embed tokens in a day than it has got. The user-group token and the embed tokens that were issued are valid as before.',
    fix: 'Wait for the end of the day of UTC: `Retry-After` says how many seconds. Or raise the limit: `PUT /api/v1/user-groups/{id}/limits`.',
  },
  usage_batch_reused: {
    cause: 'The `batch_id` is that of another batch, which was counted. This one was not.',
    fix: 'Send it with a new id, such as a UUID. Use the same id only to send the same views again.',
  },
  token_forgotten: {
    cause:
      'The token of this group is still valid but cannot be shown any more, because the key that encrypted it is lost. Nothing was changed.',
    fix: 'Rotate it: `POST /api/user` with the token that you have stored, or `POST /api/v1/user-groups/{id}/tokens/rotate`.',
  },
  provided_id_taken: {
    fix: 'Use another `provided_id`, or change the name of the one that exists.',
  },
  too_many_schemas: { fix: 'Delete a schema that nothing refers to.' },
  still_referenced: {
    cause:
      'User groups, or the requirements of the workspace, still refer to the entry. Nothing was changed. `errors` has up to 20 of the places.',
    fix: '`GET …/references` lists all of them. Change them first.',
  },
  mappings_unresolvable: {
    cause:
      'Mappings of user groups name entries that are not registered, so nothing was changed. `errors` has up to 20 of them.',
    fix: '`GET /api/v1/workspace/unresolvable-mappings` lists all of them. Register these entries, or change the mappings.',
  },
  target_not_found: { fix: '`GET /api/v1/targets` lists the targets of the workspace.' },
  plan_not_found: {
    cause:
      'The plan is older than 24 hours, 30 newer ones have replaced it, or it belongs to another workspace.',
    fix: 'Make the plan again, and apply it within a day.',
  },
  plan_stale: {
    cause:
      'Since the plan was made, a group of the plan, the groups of its set, or the rules of the workspace have changed. Nothing was applied.',
    fix: 'Make the plan again, and look at what has changed. A pipeline applies the plan that it has just made.',
  },
  plan_applied: {
    cause: 'The plan has been applied before.',
    fix: 'Make the plan again to see what differs now. With an `Idempotency-Key` a repeated call gets the first response.',
  },
  plan_in_conflict: {
    cause:
      'Lines of the plan name groups that belong to another set or to none. Nothing was applied.',
    fix: '`conflicts` of the plan lists them. Take them out of the lines, or make the plan with `adopt=true`.',
  },
  plan_in_use: {
    cause: 'Another call applies a plan of the same set at this moment. Nothing was applied.',
    fix: 'Repeat the call, and let one pipeline at a time apply plans of a set.',
  },
  prune_refused: {
    cause:
      'A plan with `prune` has no line, or no line names more of its set’s groups than it may suspend or delete. The detail has the numbers.',
    fix: 'Look whether all files were read. To remove the groups, send `max_prune`.',
  },
  plan_too_large: {
    cause:
      'The plan has more than 10,000 lines or 32 MiB, changes more than 2,000 groups or 8 MiB, or its set has more than 20,000 groups.',
    fix: 'Make plans of fewer lines, without `prune`, one after the other, or use several sets. For the first groups use an import, and then `adopt=true`.',
  },
  bulk_job_not_found: { fix: '`GET /api/v1/bulk-jobs` lists the jobs of the workspace.' },
  bulk_job_ended: {
    fix: '`GET /api/v1/bulk-jobs/{id}` says how it ended. Undo it, if it can be undone.',
  },
  bulk_job_not_undoable: {
    cause:
      'The action of the job has no inverse, or the job has changed nothing, has not ended yet, ended more than 24 hours ago, or has been undone. The detail says which.',
    fix: 'Read `undo_until` and `undone_by` of the job first. Otherwise create a job that does the opposite.',
  },
  too_many_bulk_jobs: {
    cause:
      'The API token has 20 jobs that have not ended, as many as it may have, or its workspace has nearly 60.',
    fix: 'Wait until one has ended, or cancel one.',
  },
  too_many_bulk_job_lines: {
    cause:
      'The imports of the API token that have not ended have 128 MiB of lines, or those of its workspace nearly 384 MiB. Nothing of this one is kept.',
    fix: 'Wait until one has ended, or cancel one; send a larger file in parts, or by `POST /api/v1/user-groups/import`.',
  },
  bulk_job_lines_unreadable: {
    cause:
      'The job has failed: the lines that still wait are encrypted with a key that is not configured any more.',
    fix: 'Import the file again. Lines that are stored already are `unchanged`.',
  },
  too_many_targets: {
    cause: 'The workspace has 50 targets, as many as it may have.',
    fix: 'Delete one first.',
  },
  target_secret_unreadable: {
    cause:
      'The secrets of the target cannot be decrypted with the configured keys. It issues no tokens.',
    fix: 'Restore the missing key in `TOKEN_ENCRYPTION_KEYS`; or PUT the target with its secrets again.',
  },
  target_value_missing: {
    cause:
      'The target copies a value that the user group or the request does not have. `errors` has its place in the target.',
    fix: 'Give the group the property, or send the field; or give the reference a `default`.',
  },
  target_value_refused: {
    cause:
      'A value of the user group or of the request would be unsafe in the token of this tool, or would not fit it. `errors` has its place in the target.',
    fix: 'Change the value, or the target: [each kind](../guides/targets.md#the-kinds) says what it takes.',
  },
  too_many_webhook_endpoints: {
    cause: 'The workspace has 50 webhook endpoints, as many as it may have.',
    fix: 'Delete one first.',
  },
  webhook_secret_unreadable: {
    cause:
      'The secret and the headers of the webhook endpoint cannot be decrypted with the configured keys. Nothing is sent to it.',
    fix: 'Restore the missing key in `TOKEN_ENCRYPTION_KEYS`; or roll the secret, and set the headers again.',
  },
  token_not_usable: {
    cause: 'This token value is, or was, the token of a group of the workspace.',
    fix: 'Import the group with another token, or without one.',
  },
  events_gone: {
    cause:
      'Events behind this cursor are not kept any more: it is older than `EVENT_RETENTION_HOURS`, its encryption key was removed, or another database was restored.',
    fix: 'Call with `after=latest`, *then* read everything you need, and go on from the cursor of that call.',
  },
  precondition_failed: {
    cause: 'The stored state does not satisfy `If-Match` or `If-None-Match`. Nothing was changed.',
    fix: 'Read it again, decide again, and repeat the call with its `ETag`.',
  },
  body_too_large: {
    fix: 'Send less in one request, or raise `BODY_LIMIT`. For many groups use the import, which has this limit for each line.',
  },
  media_type_unsupported: {
    fix: "Send `Content-Type: application/json` without `Content-Encoding`; with curl, `-H 'Content-Type: application/json'`.",
  },
  expectation_failed: { fix: 'Leave the `Expect` header out.' },
  validation_failed: {
    fix: 'Correct each place that `errors` names; [the codes](#fields) are below.',
  },
  rate_limited: {
    cause:
      'The API token makes requests faster than `RATE_LIMIT_PER_MINUTE` or `INTROSPECTION_RATE_LIMIT_PER_MINUTE` allows, or the client address sends wrong credentials faster than `AUTHENTICATION_FAILURE_LIMIT_PER_MINUTE` does.',
    fix: 'Retry after `Retry-After` seconds. If the caller needs this rate, raise the limit.',
  },
  too_many_at_once: {
    cause:
      'The workspace or the API token has as many calls, imports, exports, reports, streams or waiting calls under way as may run at once. Look-ups, writes and introspections go on meanwhile.',
    fix: 'Repeat the call after `Retry-After` seconds, and send fewer at once.',
  },
  headers_too_large: {
    fix: 'Send fewer or shorter headers; cookies of other applications on the same host are a usual cause.',
  },
  internal_error: {
    cause: 'Something went wrong inside the service.',
    fix: 'Report it with the `request_id`; the log has the cause under the same id.',
  },
  database_unavailable: {
    cause:
      'The database cannot be reached or is too busy. A write that was under way may have been done.',
    fix: 'Repeat the call after `Retry-After` seconds, and a rotation with an `Idempotency-Key`. The operator looks at the database; the service needs no restart.',
  },
  extension_unavailable: {
    cause: 'A plugin did not return in time. Nothing was stored.',
    fix: 'Repeat the call after `Retry-After` seconds. The log names the plugin.',
  },
  identity_provider_unavailable: {
    cause: 'The identity provider cannot be reached.',
    fix: 'Try again, or sign in with an API token.',
  },
  token_unreadable: {
    cause: 'The stored token cannot be decrypted.',
    fix: 'The operator compares `TOKEN_ENCRYPTION_KEYS` with `keys status`, and restores the right key.',
  },
  audit_unavailable: {
    cause: 'The change could not be recorded in the audit log, so it was not made.',
    fix: 'The operator looks at the database: is the disk full, and may the role insert into `audit_event`?',
  },
  migrations_pending: {
    cause:
      'The database lacks a migration that this version needs, as after a restore. Only `/health/ready` returns this.',
    fix: 'Start the service again, or run `npm run cli -- migration run`.',
  },
  starting: {
    cause: 'This process is still starting.',
    fix: 'Repeat the call, or send it to another replica.',
  },
  shutting_down: {
    cause: 'This process is about to end.',
    fix: 'Repeat the call; another replica responds.',
  },
};
