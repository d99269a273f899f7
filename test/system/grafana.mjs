import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { isDeepStrictEqual } from 'node:util';
import { startService } from './conformance/kit.mjs';
import { runCli } from './lab/command.mjs';
import { pageShell } from './lab/page-commands.mjs';
import { temporaryDirectory } from './lab/processes.mjs';
import { runSteps, Violated } from './lab/report.mjs';
import { API_TOKEN } from './lab/server.mjs';

/* global fetch */

// Shows that the libraries of Grafana's auth.jwt take the tokens of docs/guides/grafana.md with the settings of that page, each
// for the organisation of its user group, and refuse all others.
//
//   node test/system/grafana.mjs
//
// It needs Go 1.24 or newer, and two modules of the Go proxy, about 2 MB.

const VERIFIER = join(import.meta.dirname, 'grafana');
const AUDIENCE = 'https://grafana.example.com';
/** The organisations of a new Grafana, after those of the page were made. 1 is the default one. */
const ORGANISATIONS = { acme: 2, globex: 3 };
const LIFE_SECONDS = 300;
/** More than go-jose allows for clocks. */
const LATER_SECONDS = LIFE_SECONDS + 65;

/** @throws Error without Go */
function build() {
  const { stdout, error } = spawnSync('go', ['version'], { encoding: 'utf8' });
  if (error) throw new Error('install Go 1.24 or newer');
  const program = join(temporaryDirectory(), 'verify');
  execFileSync('go', ['build', '-o', program, '.'], { cwd: VERIFIER, stdio: 'pipe' });
  return { program, version: stdout.split(' ')[2] };
}

/** The results of `verify.go`. @param tokens each with the seconds from now after which it is looked at */
function verify(program, ini, tokens, organisations = ORGANISATIONS) {
  const given = tokens.map(([token, after = 0]) => ({ token, after }));
  const input = JSON.stringify({ ini, organisations, tokens: given });
  return JSON.parse(execFileSync(program, { input, encoding: 'utf8' }));
}

function require(what, found, expected) {
  if (isDeepStrictEqual(found, expected)) return;
  throw new Violated([`${what}: ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`]);
}

const organisationsOf = (results) => results.map(({ organisations }) => organisations);
const refusalsOf = (results) => results.map(({ refused = 'none' }) => refused.split(': ').at(-1));

/** A token of another workspace of the same service, for a group with the same id. */
async function tokenOfOther(dir, url) {
  const scopes = 'user-groups:write,user-group-tokens:read,embed-tokens:issue';
  const options = ['--workspace', 'other', '--name', 'grafana', '--scopes', scopes];
  const said = await runCli({ dir, env: {} }, 'token', 'create', ...options);
  const headers = {
    Authorization: `Token ${/uga_\w+/.exec(said)[0]}`,
    'Content-Type': 'application/json',
  };
  const send = async (method, path, body) => {
    const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(await response.text());
    return response.json();
  };
  await send('PUT', '/api/user', { user_group_id: 'acme', name: 'Acme' });
  const path = '/api/v1/user-groups/acme/embed-tokens';
  return (await send('POST', path, { audience: AUDIENCE })).embed_token.token;
}

async function main() {
  const { program, version } = build();
  const dir = temporaryDirectory();
  const { url, api } = await startService({ dir, env: {} });
  const project = temporaryDirectory();
  const shell = pageShell(temporaryDirectory(), {
    PATH: process.env.PATH,
    USER_GROUPS_URL: url,
    USER_GROUPS_TOKEN: API_TOKEN,
  });
  const tokenIn = (name) => readFileSync(join(project, name), 'utf8').trim();
  const embedToken = async (id, body) => {
    const path = `/api/v1/user-groups/${id}/embed-tokens`;
    const { status, body: told } = await api.send('POST', body, path);
    if (status >= 300) throw new Error(JSON.stringify(told));
    return told.embed_token.token;
  };
  const ofTarget = { target: 'grafana', user: { id: 'u-17' } };
  let ini;

  const page = () => {
    shell('grafana.groups', project);
    ini = shell('grafana.ini', project);
    shell('grafana.tokens', project);
    const results = verify(program, ini, [[tokenIn('acme.jwt')], [tokenIn('globex.jwt')]]);
    require('the organisations of two groups', organisationsOf(results), [[2], [3]]);
    const logins = new Set(results.map(({ login }) => login));
    require('the logins of two viewers of one id', logins.size, 2);
    return `2 groups in 2 organisations, by ${version}`;
  };

  const others = async () => {
    await api.send('PUT', { user_group_id: 'third', name: 'Third' });
    const third = await embedToken('third', ofTarget);
    const acme = tokenIn('acme.jwt');
    const [header, payload, signature] = acme.split('.');
    const [, ofGlobex] = tokenIn('globex.jwt').split('.');
    const results = verify(program, ini, [
      [third],
      [await embedToken('acme', { audience: 'https://other.example.com' })],
      [await tokenOfOther(dir, url)],
      [`${header}.${ofGlobex}.${signature}`],
      [`${header}.${payload}.`],
      [acme, LATER_SECONDS],
    ]);
    const isRefused = results.map(({ refused }) => refused !== undefined);
    require('whether others are refused', isRefused, [true, true, true, true, true, true]);
    const [noOrganisation, audience, workspace, , , late] = refusalsOf(results);
    require('why', [noOrganisation, audience, workspace, late], [
      'no organisation',
      'validation failed, invalid audience claim (aud)',
      'no key',
      'validation failed, token is expired (exp)',
    ]);
    const lax = ini.replace('role_attribute_strict = true', 'role_attribute_strict = false');
    require('a group without an organisation, without strictness', verify(program, lax, [
      [third],
    ])[0].organisations, [1]);
    const missing = verify(program, ini, [[acme]], { acme: 2 });
    require('an organisation that is missing', refusalsOf(missing), ['no organisation']);
    return `${results.length} other tokens refused`;
  };

  const ends = async () => {
    const acme = tokenIn('acme.jwt');
    await api.send('POST', {}, '/api/v1/user-groups/acme/suspend');
    const issued = await embedToken('acme', ofTarget).catch(
      ({ message }) => JSON.parse(message).code,
    );
    require('a new token of a suspended group', issued, 'user_group_inactive');
    const results = verify(program, ini, [[acme], [acme, LIFE_SECONDS + 30]]);
    require('an old token, until a minute after its exp', organisationsOf(results), [[2], [2]]);
    return 'an issued token lives until a minute after its exp';
  };

  const behindGateway = async () => {
    const token = await embedToken('globex', { audience: AUDIENCE });
    const asGroup = ini.replace('username_claim = login', 'username_claim = sub');
    const [found] = verify(program, asGroup, [[token]]);
    require('an embed token', found, { login: 'globex', organisations: [3] });
    return 'an embed token signs the group in';
  };

  await runSteps(
    {
      'the page': page,
      'other tokens': others,
      'ends of tokens': ends,
      'embed tokens behind a gateway': behindGateway,
    },
    () => undefined,
    1,
  );
}

main().catch((error) => {
  process.stderr.write(`grafana: ${error.message}\n`);
  process.exitCode = 1;
});
