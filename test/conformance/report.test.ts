import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { claimsOf, ForgingKey, withClaims } from '../../clients/conformance/forge.ts';
import type { Result } from '../../clients/conformance/outcome.ts';
import { FORMATS, reportOf } from '../../clients/conformance/report.ts';
import { CHECKS } from '../../clients/conformance/run.ts';
import { Trace } from '../../clients/conformance/trace.ts';
import { VERSION } from '../../clients/conformance/version.ts';

const RESULTS: Result[] = [
  { id: 'tenant-order', title: 'two tenants # in order', outcome: 'passed', seconds: 0.5 },
  {
    id: 'variable-hostile',
    title: 'a value is a value',
    outcome: 'failed',
    seconds: 1,
    reason: 'with region = "\' OR 1=1 \u0000 <b>": shows\nrows',
    means: 'Somebody reads & writes.',
    steps: ["curl -s 'http://127.0.0.1/'", '# a note'],
  },
  { id: 'embed-act', title: 'who views', outcome: 'skipped', seconds: 0, reason: 'needs "embed"' },
  {
    id: 'trace-logs',
    title: 'logs',
    outcome: 'error',
    seconds: 0,
    reason: 'cannot be reached',
    means: 'x',
    steps: [],
  },
];

const SUBJECT = {
  renderer: 'http://127.0.0.1:4000/query',
  service: 'http://127.0.0.1:3000/',
  startedAt: new Date('2030-01-01T12:00:00Z'),
};

const outcomeOf = (results: Result[]) => ({
  results,
  seconds: 3,
  slowestSeconds: 1.25,
  subject: SUBJECT,
});

test('every check has an id of its own, a title and a meaning', () => {
  const ids = CHECKS.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { id, title, means } of CHECKS) {
    expect([id, title, means].join(' ')).toMatch(/^[a-z]+(?:-[a-z]+)* [^A-Z].+\.$/);
  }
});

test('the text has each check, and what a failure means and how to repeat it', () => {
  const text = reportOf('text', outcomeOf(RESULTS));
  expect(text).toContain('✓ tenant-order');
  expect(text).toMatch(
    /✗ variable-hostile.*\n {4}seen: .*\nrows\n {4}means: Somebody reads & writes\.\n {4}repeat it:\n {6}curl -s/,
  );
  expect(text).toContain('not checked: needs "embed"');
  expect(text).toContain('1 passed, 1 failed, 1 not checked, 1 could not be made; 3.0 s');
  expect(text).toMatch(
    /\nThe slowest response took 1\.3 s; this machine has a load of [\d.]+ on \d+ processors\.\n$/,
  );
});

test('a check that could not be judged blames nothing, and the report begins with their number', () => {
  const reason = 'the valid token showed no rows (a valid embed token): the response is 200';
  const results: Result[] = [
    RESULTS[0]!,
    {
      id: 'embed-audience',
      title: 'of another audience',
      outcome: 'unjudged',
      seconds: 1,
      reason,
      steps: ['curl'],
    },
  ];
  const text = reportOf('text', outcomeOf(results));
  expect(text).toMatch(
    /^1 check could not be judged: look first at why a valid token showed no rows\.\n/,
  );
  expect(text).toContain(
    `? embed-audience           of another audience\n    not judged: ${reason}\n    repeat it:\n`,
  );
  expect(text).toContain('1 passed, 0 failed, 1 not judged, 0 not checked; 3.0 s');
  expect(text).not.toContain('means');
  expect(reportOf('tap', outcomeOf(results))).toMatch(
    /^not ok 2 .*\n {2}---\n {2}message: .*\n {2}severity: unjudged$/m,
  );
  expect(reportOf('junit', outcomeOf(results))).toMatch(
    /failures="0" errors="1" [^]*<error message="the valid token/,
  );
});

test('a warning is told in each form, and is no failure', () => {
  const warned: Result = {
    id: 'trace-variables',
    title: 'variables',
    outcome: 'warned',
    seconds: 1,
    reason: 'a viewer can read "region" & more',
    means: 'Viewers read it.',
    steps: ['curl'],
  };
  const outcome = outcomeOf([RESULTS[0]!, warned]);
  expect(reportOf('text', outcome)).toContain(
    '⚠ trace-variables          variables\n    warning: a viewer can read "region" & more\n    means: Viewers read it.\n',
  );
  expect(reportOf('text', outcome)).toContain('1 passed, 0 failed, 1 passed with a warning, 0 not');
  expect(reportOf('tap', outcome)).toMatch(
    /^ok 2 - trace-variables: variables\n {2}---\n {2}message: .*\n {2}severity: comment$/m,
  );
  const junit = reportOf('junit', outcome);
  expect(junit).toContain('tests="2" failures="0" errors="0" skipped="0"');
  expect(junit).toContain(
    '<system-out>Warning: a viewer can read &quot;region&quot; &amp; more&#10;Viewers read it.</system-out>',
  );
  const page = reportOf('html', outcome);
  expect(page).toContain('<strong>Yes. Look at the warnings.</strong>');
  expect(page).toContain('Seen: a viewer can read &quot;region&quot; &amp; more');
  expect(page).toContain('1 passed, 1 passed, with a warning');
});

test('TAP 14 has a plan, and a diagnostic that YAML reads; what was skipped is marked', () => {
  const lines = reportOf('tap', outcomeOf(RESULTS)).split('\n');
  expect(lines.slice(0, 4)).toEqual([
    'TAP version 14',
    '1..4',
    'ok 1 - tenant-order: two tenants \\# in order',
    'not ok 2 - variable-hostile: a value is a value',
  ]);
  const end = lines.indexOf('  ...');
  expect(parse(lines.slice(5, end).join('\n'))).toEqual({
    message: RESULTS[1]!.reason,
    severity: 'fail',
    means: RESULTS[1]!.means,
    reproduce: RESULTS[1]!.steps,
  });
  expect(lines[end + 1]).toBe('ok 3 - embed-act: who views # SKIP needs "embed"');
  expect(lines[end + 2]).toMatch(/^not ok 4/);
});

test('JUnit XML counts what it has, and is well-formed whatever a renderer says', () => {
  const text = reportOf('junit', outcomeOf(RESULTS));
  expect(text).toContain(
    '<testsuite name="conformance" tests="4" failures="1" errors="1" skipped="1" time="3.000">',
  );
  expect(text.match(/<testcase /g)).toHaveLength(4);
  expect(text).toContain("&quot;' OR 1=1 \uFFFD &lt;b&gt;&quot;");
  expect(text).not.toContain('\u0000');
  // Without its texts there are tags alone, each of which is closed.
  const tags = [...text.matchAll(/<(\/?)(\w+)[^>]*?(\/?)>/g)].filter(([, , , closed]) => !closed);
  expect(tags.filter(([, end]) => end)).toHaveLength(tags.filter(([, end]) => !end).length);
});

test('the page has the verdict, the facts of the run and the evidence of each check, as text', () => {
  const passed = { ...RESULTS[0]!, means: 'Rows of another.', steps: ['curl -s "$URL"'] };
  const page = reportOf('html', outcomeOf([passed, ...RESULTS.slice(1)]));
  expect(page).toMatch(/^<!doctype html>\n/);
  expect(page).toContain('<strong>No: a check has failed.</strong>');
  expect(page).toContain('1 passed, 1 failed, 1 not checked, 1 could not be made');
  for (const fact of [SUBJECT.renderer, SUBJECT.service, '2030-01-01T12:00:00.000Z', VERSION]) {
    expect(page).toContain(fact);
  }
  expect(page).toContain('If it fails: Rows of another.');
  expect(page).toContain('<pre>curl -s &quot;$URL&quot;</pre>');
  expect(page).toContain('Seen: with region = &quot;');
  expect(page).toContain('\\u0000 &lt;b&gt;&quot;');
  expect(page).not.toMatch(/<b>|<script/);
  const verdictOf = (...outcomes: Result['outcome'][]) => {
    const results = outcomes.map((outcome) => ({ ...RESULTS[0]!, outcome }));
    return /<strong>(.*)<\/strong>/.exec(reportOf('html', outcomeOf(results)))![1];
  };
  expect(verdictOf('passed', 'passed')).toBe('Yes: every check has passed.');
  expect(verdictOf('passed', 'skipped')).toBe('Yes, as far as it was checked.');
  for (const doubt of ['unjudged', 'error'] as const) {
    expect(verdictOf('passed', doubt)).toBe('This run does not tell.');
  }
  expect(verdictOf('skipped')).toBe('This run does not tell.');
});

test('the kit and its package have one version', () => {
  const { version } = JSON.parse(
    readFileSync(join(import.meta.dirname, '..', '..', 'clients/conformance/package.json'), 'utf8'),
  ) as { version: string };
  expect(VERSION).toBe(version);
});

test('no report has a character that a terminal obeys', () => {
  const reason = 'the response is 200: "\u001b[2J\u009b2J \u202eprod\u2066"';
  const results: Result[] = [
    { ...RESULTS[1]!, reason, steps: ['curl \u009b'] },
    { ...RESULTS[2]!, reason },
  ];
  for (const format of FORMATS) {
    const report = reportOf(format, outcomeOf(results));
    expect(report).not.toMatch(/(?!\n)[\p{Cc}\u2028-\u202e\u2066-\u2069]/u);
    expect(report).toContain(
      format === 'junit' ? '&#155;2J &#8238;prod&#8294;' : '\\u009b2J \\u202eprod\\u2066',
    );
  }
  expect(reportOf('text', outcomeOf(results))).toContain('curl \\u009b');
  const [, , , , ...lines] = reportOf('tap', outcomeOf(results)).split('\n');
  expect(
    (parse(lines.slice(0, lines.indexOf('  ...')).join('\n')) as { message: string }).message,
  ).toBe(reason);
});

test('no report has a secret, also one that the kit has never sent', () => {
  const secrets = [
    `uga_${'0'.repeat(38)}`,
    `ugt_${'a'.repeat(20)}`,
    'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhY21lIn0.c2lnbmF0dXJl',
    'eyJhbGciOiJFUzI1NiJ9.eyJzdWIi',
    `whsec_${'A'.repeat(43)}=`,
    `whsk_${'B'.repeat(43)}=`,
    'Basic dXNlcjpwYXNzd29yZA==',
    'Bearer something-else',
  ];
  const reason = `the response is 500: "Error: Token ${secrets.join(' and ')}"`;
  const results: Result[] = [
    { ...RESULTS[1]!, reason, steps: [`curl -H 'X: ${secrets.join("' -H 'Y: ")}'`] },
    { ...RESULTS[2]!, reason },
    { ...RESULTS[3]!, reason },
  ];
  for (const format of FORMATS) {
    const report = reportOf(format, outcomeOf(results));
    for (const secret of secrets) expect(report).not.toContain(secret.replace(/^\w+[ _]/, ''));
    expect(report).toContain('uga_[redacted]');
  }
});

test('a trace has variables for headers, cookies and variables of the environment without a token', () => {
  const trace = new Trace();
  trace.made('live_secret', 'of another system');
  const headers = {
    Authorization: 'Basic c2VjcmV0',
    'X-Key': 'k3y',
    Cookie: 'session=s3cret; token={token}',
  };
  trace.rendering({ url: 'http://127.0.0.1/', method: 'GET', headers }, 'live_secret', {
    'If-None-Match': '"e"',
  });
  const env = { 'DB-PASSWORD': 'pa55', TOKEN: '{token}' };
  trace.rendering({ command: ['render'], env }, 'live_secret');
  expect(trace.steps.slice(1)).toEqual([
    `curl -si -X GET http://127.0.0.1/ -H 'Authorization: '"$HEADER_AUTHORIZATION"'' -H 'X-Key: '"$HEADER_X_KEY"'' -H 'Cookie: session='"$COOKIE_SESSION"'; token='"$TOKEN_1"'' -H 'If-None-Match: "e"'`,
    `DB-PASSWORD=''"$ENV_DB_PASSWORD"'' TOKEN=''"$TOKEN_1"'' render`,
  ]);
});

test('a trace opens a connection that stays open by a command', () => {
  const trace = new Trace();
  const stream = { method: 'GET', headers: { A: '{token}' }, asks: undefined, everySeconds: 1 };
  trace.opening({ ...stream, url: 'http://127.0.0.1/events', sends: [] }, 'secret');
  const socket = {
    ...stream,
    url: 'ws://127.0.0.1/live',
    sends: ['{"t":"{token}"}'],
    asks: 'rows',
  };
  trace.opening(socket, 'secret');
  expect(trace.steps).toEqual([
    `curl -sNi -X GET http://127.0.0.1/events -H 'A: '"$TOKEN_1"''`,
    `printf '%s\\n' '{"t":"'"$TOKEN_1"'"}' rows | websocat ws://127.0.0.1/live -H='A: '"$TOKEN_1"''`,
  ]);
});

test('a trace is commands without tokens, one for the same call again', () => {
  const trace = new Trace();
  const template = {
    url: 'http://127.0.0.1/q?t={token}',
    method: 'POST',
    headers: { A: "it's" },
    body: { token: '{token}' },
  };
  trace.call('GET', '/api/v1/x', undefined, { value: 'ugt_secret', at: '.user_group.token' });
  trace.rendering(template, 'ugt_secret');
  trace.rendering(template, 'ugt_secret');
  trace.call('POST', '/api/v1/revoke', { token: 'ugt_secret' });
  expect(trace.steps).toEqual([
    'TOKEN_1=$(curl -s -X GET "$URL/api/v1/x" -H "Authorization: Token $API_TOKEN" | jq -r .user_group.token)',
    `curl -si -X POST 'http://127.0.0.1/q?t='"$TOKEN_1"'' -H 'Content-Type: application/json' -H 'A: '"$HEADER_A"'' --data-raw '{"token":"'"$TOKEN_1"'"}'`,
    `curl -s -X POST "$URL/api/v1/revoke" -H "Authorization: Token $API_TOKEN" -H 'Content-Type: application/json' -d '{"token":"'"$TOKEN_1"'"}'`,
  ]);
});

test('a forged token keeps the signature of its first claims', () => {
  const token = new ForgingKey('k').sign({ sub: 'acme', team_id: 1 });
  const other = withClaims(token, { sub: 'globex' });
  expect(claimsOf(other)).toEqual({ sub: 'globex', team_id: 1 });
  expect(other.split('.')[2]).toBe(token.split('.')[2]);
});

test('a trace has the definition of each variable that its last steps use', () => {
  const trace = new Trace();
  trace.note('16 at once');
  for (const token of ['first', 'second', 'unused']) trace.made(token, `the token of the ${token}`);
  const template = { url: 'http://127.0.0.1/{token}', method: 'GET', headers: {} };
  for (let turn = 0; turn < 100; turn++) {
    trace.rendering(template, turn % 2 === 0 ? 'first' : 'second');
  }
  const [note, first, second, ...calls] = trace.steps;
  expect([note, first, second]).toEqual([
    '# 16 at once',
    'TOKEN_1=…  # the token of the first',
    'TOKEN_2=…  # the token of the second',
  ]);
  expect(calls).toHaveLength(14);
});
