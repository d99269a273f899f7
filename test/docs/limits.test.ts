import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(root, 'docs', 'reference', 'limits.md'), 'utf8');

/** The beginning of a row, what it says, and the constant of the code that it is about. */
const LIMITS = [
  [
    '`user_group_id`, `name`',
    (n: number) => `1–${n} code points`,
    'src/platform/common/text.ts',
    'MAX_CODE_POINTS',
  ],
  [
    '`user_group_id`, `name`',
    (n: number) => `${grouped(n)} bytes`,
    'src/platform/common/text.ts',
    'MAX_BYTES',
  ],
  [
    '`properties`',
    (n: number) => `${n / 1024} KiB`,
    'src/core/user-group/group/properties.ts',
    'MAX_BYTES',
  ],
  [
    '`properties`',
    (n: number) => `${n} levels`,
    'src/core/user-group/group/properties.ts',
    'MAX_DEPTH',
  ],
  [
    '`mapping`',
    (n: number) => `${n} entries`,
    'src/core/user-group/group/mapping.ts',
    'MAX_ENTRIES',
  ],
  [
    'Depth of any JSON body',
    (n: number) => `${n} levels`,
    'src/platform/common/json/strict-json.ts',
    'MAX_DEPTH',
  ],
  [
    'Time for the headers',
    inSeconds,
    'src/platform/common/http/server/http-server.ts',
    'HEADERS_TIMEOUT_MS',
  ],
  [
    'Time for a whole request',
    inSeconds,
    'src/platform/common/http/server/http-server.ts',
    'REQUEST_TIMEOUT_MS',
  ],
  ['Idle connection', inSeconds, 'src/platform/common/http/server/http-server.ts', 'KEEP_ALIVE_MS'],
  ['Places in `errors`', grouped, 'src/platform/common/problem/violation.ts', 'MAX_VIOLATIONS'],
  ['Imports of an API token', grouped, 'src/features/bulk/user-group-importer.ts', 'AT_ONCE'],
  ['Exports of an API token', grouped, 'src/features/bulk/user-group-exporter.ts', 'AT_ONCE'],
  [
    'Bulk changes of an API token',
    grouped,
    'src/features/bulk/user-group-bulk-changes.ts',
    'AT_ONCE',
  ],
  ['Reports of leaked tokens', grouped, 'src/features/revocation/revocation.service.ts', 'AT_ONCE'],
  [
    'Event streams and waiting calls',
    grouped,
    'src/platform/common/concurrency/slots.ts',
    'OF_A_TOKEN',
  ],
  [
    'The same of a workspace',
    grouped,
    'src/platform/common/concurrency/slots.ts',
    'OF_A_WORKSPACE',
  ],
  ['The same of a process', grouped, 'src/platform/common/concurrency/slots.ts', 'OF_THE_PROCESS'],
  [
    'Calls that end access',
    (n: number) => `${n}, and`,
    'src/platform/common/concurrency/gate.ts',
    'ENDING_OF_TOKEN',
  ],
  [
    'Calls that end access',
    (n: number) => `${n} of a workspace`,
    'src/platform/common/concurrency/gate.ts',
    'ENDING_AT_ONCE',
  ],
  [
    'Other calls of a workspace',
    (n: number) => `${n};`,
    'src/platform/common/concurrency/gate.ts',
    'CALLS_AT_ONCE',
  ],
  [
    'Other calls of a workspace',
    inSeconds,
    'src/platform/common/concurrency/gate.ts',
    'MAX_WAIT_MS',
  ],
  [
    'Entries per page',
    (n: number) => `${n} by default`,
    'src/platform/common/http/parameters/page.dto.ts',
    'DEFAULT_LIMIT',
  ],
  [
    'Entries per page',
    (n: number) => `${n} at most`,
    'src/platform/common/http/parameters/page.dto.ts',
    'MAX_LIMIT',
  ],
  [
    'Entries that one call',
    grouped,
    'src/core/user-group/resource/indexed-filters.ts',
    'MAX_CANDIDATES',
  ],
  ['Time for `count=true`', inSeconds, 'src/platform/common/http/parameters/total.ts', 'MAX_MS'],
  ['Events per call', grouped, 'src/features/event/feed/dto/event-query.dto.ts', 'MAX_LIMIT'],
  [
    'Wait for events',
    (n: number) => `${n} seconds`,
    'src/features/event/feed/dto/event-query.dto.ts',
    'MAX_WAIT',
  ],
  ['Life of one event stream', inMinutes, 'src/features/event/stream/event-streams.ts', 'MAX_MS'],
  [
    'Leaked tokens per report',
    grouped,
    'src/features/revocation/dto/revoke.dto.ts',
    'MAX_REPORTED',
  ],
  ['Ids per bulk change', grouped, 'src/features/bulk/dto/bulk-change.dto.ts', 'MAX_IDS'],
  [
    'Webhook endpoints',
    grouped,
    'src/features/webhook/endpoint/webhook-endpoint.service.ts',
    'MAX_ENDPOINTS',
  ],
  [
    'Header fields of a webhook',
    grouped,
    'src/features/webhook/endpoint/dto/webhook-endpoint.dto.ts',
    'MAX_HEADERS',
  ],
  ['Audiences in', grouped, 'src/features/registry/settings/dto/workspace.dto.ts', 'MAX_AUDIENCES'],
  ['Responses kept for', grouped, 'src/core/idempotency/idempotent-calls.ts', 'MAX_RESPONSES'],
  ['Address ranges', grouped, 'src/core/api-token/cidr.ts', 'MAX_RANGES'],
  [
    'Console sessions',
    grouped,
    'src/features/console/session/console-session.service.ts',
    'MAX_PER_TOKEN',
  ],
  [
    'Life of an embed token |',
    ofSeconds,
    'src/core/embed-token/embed-token.rules.ts',
    'DEFAULT_LIFE_SECONDS',
  ],
  [
    'Life of an embed token |',
    ofSeconds,
    'src/core/embed-token/embed-token.rules.ts',
    'MAX_LIFE_SECONDS',
  ],
  [
    'Life of an embed token with',
    ofSeconds,
    'src/core/embed-token/embed-token.rules.ts',
    'MAX_VIEW_AS_SECONDS',
  ],
  ['Grace period', ofSeconds, 'src/platform/common/grace.ts', 'MAX_GRACE_SECONDS'],
] as const;

test.each(LIMITS)('%s: the page has the number of the code (%#)', (row, write, file, constant) => {
  const [, value] =
    new RegExp(`const ${constant} = ([\\d_ *]+);`).exec(readFileSync(join(root, file), 'utf8')) ??
    [];
  const number = value!
    .split('*')
    .reduce((product, part) => product * Number(part.replaceAll('_', '')), 1);
  const line = page.split('\n').find((text) => text.startsWith(`| ${row}`));
  // Matches no part of a longer number.
  expect(line?.match(new RegExp(`(?<![\\d,.])${write(number)}(?!,?\\d)`))?.[0]).toBe(write(number));
});

function grouped(number: number): string {
  return number.toLocaleString('en');
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
