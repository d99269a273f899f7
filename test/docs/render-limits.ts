import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

/** docs/reference/limits.md: what the service accepts, with the numbers that the code has. */
export function limitsDocument(): string {
  return `# Limits

For developers and operators: what the service accepts, and how much of it at once. Limits that you can change name their [variable](configuration.md); most numbers of the others are read from the code by \`npm run docs\`.

## Fields

| What | Limit | Beyond it |
|---|---|---|
| \`user_group_id\`, \`name\` | 1–${valueOf('src/platform/common/text.ts', 'MAX_CODE_POINTS')} code points, at most ${grouped(valueOf('src/platform/common/text.ts', 'MAX_BYTES'))} bytes of UTF-8; compared exactly as sent | 422 \`too_long\` |
| \`properties\` | a JSON object of at most ${valueOf('src/core/user-group/group/properties.ts', 'MAX_BYTES') / 1024} KiB and ${valueOf('src/core/user-group/group/properties.ts', 'MAX_DEPTH')} levels | 422 \`too_large\`, \`too_deep\` |
| \`mapping\` | ${valueOf('src/core/user-group/group/mapping.ts', 'MAX_ENTRIES')} entries; a value is a string or an integer | 422 \`too_many\` |
| Numbers in stored fields | those that a double holds without loss | 422 \`lossy_number\` |
| Imported \`token\` | 20–255 visible ASCII characters | 422 |
| \`Idempotency-Key\` | 1–255 visible ASCII characters | 400 \`idempotency_key_invalid\` |

## Requests

| What | Limit | Beyond it |
|---|---|---|
| Body, or one line of an import | \`BODY_LIMIT\`, 256 KiB | 413 \`body_too_large\` |
| Depth of any JSON body | ${valueOf('src/platform/common/json/strict-json.ts', 'MAX_DEPTH')} levels | 422 \`too_deep\` |
| Request line and headers | 16 KiB | 431 \`headers_too_large\` |
| Time for the headers of a request | ${inSeconds(valueOf('src/platform/common/http/server/http-server.ts', 'HEADERS_TIMEOUT_MS'))} | 408 \`request_timeout\` |
| Time for a whole request, except imports | ${inSeconds(valueOf('src/platform/common/http/server/http-server.ts', 'REQUEST_TIMEOUT_MS'))} | 408 \`request_timeout\` |
| Idle connection | ${inSeconds(valueOf('src/platform/common/http/server/http-server.ts', 'KEEP_ALIVE_MS'))} | closed |
| Places in \`errors\` of one response | ${grouped(valueOf('src/platform/common/problem/violation.ts', 'MAX_VIOLATIONS'))} | the others are not listed |

## Requests per minute

Each limit is a bucket that refills continuously. Beyond it the response is 429 \`rate_limited\` with \`Retry-After\`.

| What | Variable | Default |
|---|---|---|
| Requests of one API token, with lines of imports, groups of bulk changes and reported leaked tokens | \`RATE_LIMIT_PER_MINUTE\` | 6,000 |
| Requests of all API tokens of a workspace | \`WORKSPACE_RATE_LIMIT_PER_MINUTE\` | 5 times \`RATE_LIMIT_PER_MINUTE\` |
| Introspections of one API token | \`INTROSPECTION_RATE_LIMIT_PER_MINUTE\` | no limit |
| Wrong API tokens of one client address | \`AUTHENTICATION_FAILURE_LIMIT_PER_MINUTE\` | 60 |

Imports, bulk changes and reports of leaked tokens leave a tenth of each limit to other calls, and wait when they reach the rest.

Without \`REDIS_URL\` each process counts for itself: three replicas together allow three times as much.

## At once

Beyond it the response is 429 \`too_many_at_once\`; a call that has waited can also be a 503.

| What | Limit |
|---|---|
| Imports of an API token, per process | ${grouped(valueOf('src/features/bulk/user-group-importer.ts', 'AT_ONCE'))} |
| Exports of an API token, per process | ${grouped(valueOf('src/features/bulk/user-group-exporter.ts', 'AT_ONCE'))} |
| Bulk changes of an API token, per process | ${grouped(valueOf('src/features/bulk/user-group-bulk-changes.ts', 'AT_ONCE'))} |
| Each of these of a workspace | 60, 6 and 6; a token gets half of what is free at most |
| Reports of leaked tokens of an API token, per process | ${grouped(valueOf('src/features/revocation/revocation.service.ts', 'AT_ONCE'))} |
| Event streams and waiting calls of an API token, per process | ${grouped(valueOf('src/platform/common/concurrency/slots.ts', 'OF_A_TOKEN'))} |
| The same of a workspace | ${grouped(valueOf('src/platform/common/concurrency/slots.ts', 'OF_A_WORKSPACE'))}, and at most a third of what the process has free |
| The same of a process | ${grouped(valueOf('src/platform/common/concurrency/slots.ts', 'OF_THE_PROCESS'))} |
| Calls that end access, of an API token, per process | ${valueOf('src/platform/common/concurrency/gate.ts', 'ENDING_OF_TOKEN')}, and ${valueOf('src/platform/common/concurrency/gate.ts', 'ENDING_AT_ONCE')} of a workspace; more wait for up to 1.5 seconds |
| Other calls of a workspace, per process | ${valueOf('src/platform/common/concurrency/gate.ts', 'CALLS_AT_ONCE')}; more wait for up to ${inSeconds(valueOf('src/platform/common/concurrency/gate.ts', 'MAX_WAIT_MS'))}, each API token in turn |

## Lists

| What | Limit |
|---|---|
| Entries per page (\`limit\`) | ${valueOf('src/platform/common/http/parameters/page.dto.ts', 'DEFAULT_LIMIT')} by default, ${valueOf('src/platform/common/http/parameters/page.dto.ts', 'MAX_LIMIT')} at most |
| Entries that one call with filters examines | ${grouped(valueOf('src/core/user-group/resource/indexed-filters.ts', 'MAX_CANDIDATES'))} |
| Time for \`count=true\` | ${inSeconds(valueOf('src/platform/common/http/parameters/total.ts', 'MAX_MS'))}; then \`exact\` is false |
| Events per call (\`limit\` of \`/api/v1/events\`) | ${grouped(valueOf('src/features/event/feed/dto/event-query.dto.ts', 'MAX_LIMIT'))} |
| Wait for events (\`wait\`) | ${valueOf('src/features/event/feed/dto/event-query.dto.ts', 'MAX_WAIT')} seconds |
| Life of one event stream | ${inMinutes(valueOf('src/features/event/stream/event-streams.ts', 'MAX_MS'))}; then it ends with \`renew\` |
| Leaked tokens per report | ${grouped(valueOf('src/features/revocation/dto/revoke.dto.ts', 'MAX_REPORTED'))} |
| Views per batch of [usage](../guides/usage.md) | 1,000, of the last 48 hours |
| Ids per bulk change, and per job | ${grouped(valueOf('src/features/bulk/dto/bulk-change.dto.ts', 'MAX_IDS'))}; filters have no limit |

## Per workspace

| What | Limit | Beyond it |
|---|---|---|
| User groups | none, unless the operator sets a quota | 409 \`user_group_quota_reached\` |
| Schemas in the registry | 200 | 409 \`too_many_schemas\` |
| Targets | 50 | 409 \`too_many_targets\` |
| Keys of a target | 2 | 422 |
| Claims of a target, and of a token that it issues | 8 KiB of JSON | 422 |
| Jobs that have not ended | 20 of an API token, and half of what is left of 60 | 409 \`too_many_bulk_jobs\` |
| Lines that imports as jobs have brought and that have not ended | 128 MiB of an API token, and half of what is left of 384 MiB | 409 \`too_many_bulk_job_lines\` |
| Lines, changed groups and groups of the set of a [plan](../guides/groups-as-code.md) | ${grouped(valueOf('src/features/plan/planning/desired-groups.ts', 'MAX_LINES'))} with ${inMebibytes(valueOf('src/features/plan/planning/desired-groups.ts', 'MAX_BYTES'))}; ${grouped(valueOf('src/features/plan/planning/user-group-planner.ts', 'MAX_CHANGES'))} with ${inMebibytes(valueOf('src/features/plan/planning/user-group-planner.ts', 'MAX_BYTES'))}; ${grouped(valueOf('src/features/plan/planning/user-group-planner.ts', 'MAX_MEMBERS'))} | 422 \`plan_too_large\` |
| Plans that are kept | the newest ${valueOf('src/features/plan/plan.repository.ts', 'MAX_PLANS')}, for 24 hours | 404 \`plan_not_found\` |
| Webhook endpoints | ${grouped(valueOf('src/features/webhook/endpoint/webhook-endpoint.service.ts', 'MAX_ENDPOINTS'))} | 409 \`too_many_webhook_endpoints\` |
| Header fields of a webhook endpoint | ${grouped(valueOf('src/features/webhook/endpoint/dto/webhook-endpoint.dto.ts', 'MAX_HEADERS'))} | 422 |
| Audiences in \`embed_token_audiences\` | ${grouped(valueOf('src/features/registry/settings/dto/workspace.dto.ts', 'MAX_AUDIENCES'))} | 422 |
| Resources of an embed token | 50, and 4 KiB of JSON | 422 |
| Variables of an embed token | 1 KiB of JSON | 422 |
| Settings of a gateway | 2 KiB, and 20 headers | 502 \`gateway_misconfigured\` |
| Value of a header for a gateway, and all of them | 1,024 characters, and 3 KiB | 403 \`viewer_refused\` |
| Responses kept for \`Idempotency-Key\` | the last ${grouped(valueOf('src/core/idempotency/idempotent-calls.ts', 'MAX_RESPONSES'))} of an API token, 24 hours | older ones are forgotten |
| Address ranges of an API token | ${grouped(valueOf('src/core/api-token/cidr.ts', 'MAX_RANGES'))} | 422 |
| Console sessions of an API token | ${grouped(valueOf('src/features/console/session/console-session.service.ts', 'MAX_PER_TOKEN'))}; the least recently used ends | |

## Times

| What | Default | Most |
|---|---|---|
| Life of an embed token | ${ofSeconds(valueOf('src/core/embed-token/embed-token.rules.ts', 'DEFAULT_LIFE_SECONDS'))} | ${ofSeconds(valueOf('src/core/embed-token/embed-token.rules.ts', 'MAX_LIFE_SECONDS'))} |
| Life of an embed token with \`acting_for\` | ${ofSeconds(valueOf('src/core/embed-token/embed-token.rules.ts', 'MAX_VIEW_AS_SECONDS'))} | 15 minutes |
| Grace period of a rotation | \`ROTATION_GRACE_SECONDS\`, 0 | ${ofSeconds(valueOf('src/platform/common/grace.ts', 'MAX_GRACE_SECONDS'))} |
| Until every replica refuses a replaced token | | 1 second |
| Console session | 12 hours; 30 minutes unused | 12 hours |
`;
}

/** The value of a constant of a file, which is a number or a product of numbers. @throws Error if it is not there */
function valueOf(file: string, constant: string): number {
  const text = readFileSync(join(root, file), 'utf8');
  const [, value] = new RegExp(`const ${constant} = ([\\d_ *]+);`).exec(text) ?? [];
  if (value === undefined) throw new Error(`${file} has no number ${constant}`);
  return value.split('*').reduce((product, part) => product * Number(part.replaceAll('_', '')), 1);
}

function grouped(number: number): string {
  return number.toLocaleString('en');
}

function inMebibytes(bytes: number): string {
  return `${bytes / 1024 / 1024} MiB`;
}

function inSeconds(ms: number): string {
  return `${ms / 1000} seconds`;
}

function inMinutes(ms: number): string {
  return `${ms / 60_000} minutes`;
}

function ofSeconds(seconds: number): string {
  return seconds === 86_400 ? '1 day' : `${seconds / 60} minutes`;
}
