import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Api } from '../lab/api.mjs';
import { runCli } from '../lab/command.mjs';
import { freePort } from '../lab/ports.mjs';
import { run, start, temporaryDirectory } from '../lab/processes.mjs';
import { Violated } from '../lab/report.mjs';
import { startServer } from '../lab/server.mjs';
import { openDirectory, startApacheWith } from './gateways.mjs';
import { askPage, startApplication, untilItAccepts } from './protects.mjs';
import { settingsOf } from './settings.mjs';

const SERVICE = 'https://user-groups.example.com';
const WORKSPACE = 'ws_6f1d0a0c5b7e4a39b1c2d3e4f5a60718';
const APPLICATION = 'http://127.0.0.1:9000';
const AUDIENCE = 'dashboards';

/**
 * Two workspaces have a group of one id, and tokens with one audience and one issuer. A verifier that is set as the
 * pages say takes those of its workspace and no others.
 */
export const offlineVerifiers = {
  'Apache, offline': (lab) => throughApache(lab),
  'PyJWT, offline': (lab) => byPyJwt(lab),
};

/** @returns figures @throws Violated */
export async function verifiesOffline(verdictsOf) {
  const dir = temporaryDirectory();
  const port = await freePort();
  const service = `http://127.0.0.1:${port}`;
  const env = { PORT: String(port), PUBLIC_URL: service };
  const server = await startServer({ dir, env });
  const own = new Api(`${service}/api/user`);
  await runCli({ dir, env }, 'workspace', 'create', 'other');
  const granted = ['--workspace', 'other', '--name', 'all', '--scopes', 'all', '-o', 'json'];
  const token = JSON.parse(await runCli({ dir, env }, 'token', 'create', ...granted));
  const other = new Api(`${service}/api/user`, token.api_token.token);
  const { id: workspace, issuer } = await identityOf(own);
  // Nothing keeps a workspace from naming the issuer of another.
  await other.send('PATCH', { embed_token_issuer: issuer }, '/api/v1/workspace');
  const tokens = { own: await issue(own), foreign: await issue(other) };
  const lab = { service, workspace, issuer, tokens };
  const verdicts = await verdictsOf(lab);
  own.close();
  other.close();
  await server.stop();
  const wanted = JSON.stringify({ own: true, foreign: false });
  if (JSON.stringify(verdicts) !== wanted) {
    throw new Violated([`${JSON.stringify(verdicts)}, not ${wanted}`]);
  }
  return 'takes the token of its workspace, and not that of one with the same issuer';
}

async function throughApache({ service, workspace, issuer, tokens }) {
  // The module fetches keys by HTTPS alone.
  const front = await startHttpsFront(service);
  const application = await startApplication();
  const port = await freePort();
  const settings = settingsOf('verify-offline.apache', {
    [`iss:${SERVICE}/workspaces/${WORKSPACE}`]: `iss:${issuer}`,
    [SERVICE]: front.url,
    [WORKSPACE]: workspace,
    [APPLICATION]: application.url,
  });
  const modules = 'mpm_event authn_core authz_core authz_user proxy proxy_http auth_openidc';
  const trusting = `OIDCCABundlePath ${front.certificate}\n${settings}`;
  try {
    await untilItAccepts(startApacheWith(port, modules, trusting), port);
    const accepts = async (token) => {
      const { status, text } = await askPage(port, token);
      if (![200, 401].includes(status)) throw new Violated([`Apache: ${status} ${text}`]);
      return status === 200 && text === 'dashboard of acme';
    };
    return { own: await accepts(tokens.own), foreign: await accepts(tokens.foreign) };
  } finally {
    application.server.close();
    front.close();
  }
}

async function byPyJwt({ service, workspace, issuer, tokens }) {
  const script = join(temporaryDirectory(), 'verify.py');
  const asking = `
import json, sys

def accepts(token):
    try:
        return verify_embed_token(token)["sub"] == "acme"
    except jwt.PyJWTError:
        return False

print(json.dumps({name: accepts(token) for name, token in json.loads(sys.argv[1]).items()}))
`;
  writeFileSync(script, settingsOf('pyjwt', {}) + asking);
  // Debian's own, which has the packages.
  const child = start('/usr/bin/python3', [script, JSON.stringify(tokens)], {
    env: { GROUPS_URL: service, WORKSPACE_ID: workspace, ISSUER: issuer, AUDIENCE },
  });
  await child.ended;
  return JSON.parse(child.said);
}

async function identityOf(api) {
  return (await api.send('GET', {}, '/api/v1/workspace/identity')).body.workspace;
}

async function issue(api) {
  await api.send('PUT', { user_group_id: 'acme', name: 'Acme' });
  const path = '/api/v1/user-groups/acme/embed-tokens';
  return (await api.send('POST', { audience: AUDIENCE }, path)).body.embed_token.token;
}

/** Serves what the service responds to a GET, by HTTPS with a certificate of its own. */
async function startHttpsFront(service) {
  const dir = openDirectory();
  const [key, certificate] = [join(dir, 'key.pem'), join(dir, 'certificate.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  await run('openssl', ['req', ...kind, ...subject, '-keyout', key, '-out', certificate]);
  const server = createServer(
    { key: readFileSync(key), cert: readFileSync(certificate) },
    (from, to) => {
      request(service + from.url, (response) => {
        void buffer(response).then((body) => {
          to.writeHead(response.statusCode, { 'Content-Type': response.headers['content-type'] });
          to.end(body);
        });
      }).end();
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `https://127.0.0.1:${server.address().port}`;
  return { url, certificate, close: () => server.close() };
}
