import process from 'node:process';
import {
  AUDIENCE,
  OFFERS,
  ORIGIN,
  passedAllBut,
  runKit,
  startService,
} from './conformance/kit.mjs';
import {
  applications,
  exchange,
  HIDDEN,
  SALES,
  startMetrics,
  TENANTS,
} from './gateways/applications.mjs';
import { keepsApart } from './gateways/keeps-apart.mjs';
import { leadsToTwoGroups } from './gateways/page.mjs';
import { handsOnItsOwnHeaders } from './gateways/shiny-headers.mjs';
import { showsTwoGroups } from './gateways/shiny-page.mjs';
import { startedGateways, startNginxOfMetrics } from './gateways/started.mjs';
import { requirePrograms } from './lab/packages.mjs';
import { freePort } from './lab/ports.mjs';
import { runSteps } from './lab/report.mjs';
import { untilItAccepts } from './renderers/protects.mjs';

// Shows that applications which read headers keep two groups apart behind the gateways of docs/guides/gateways.md, with the
// settings and the code of that page: each viewer sees the rows of the own group, whatever headers are forged; a token that
// has ended is refused at the next request; and an open connection lives on until the gateway ends it.
//
//   node test/system/gateways.mjs
//
// It needs a Chromium; Debian's nginx, Caddy, HAProxy, VictoriaMetrics and Shiny, which it installs as root; and Streamlit from PyPI, about
// 500 MB, which it installs into GATEWAY_TOOLS if it is set, where it stays, or else into a temporary directory.

const PROGRAMS = {
  caddy: 'caddy',
  haproxy: 'haproxy',
  nginx: 'nginx',
  Rscript: 'r-base-core',
  '/usr/lib/R/site-library/shiny': 'r-cran-shiny',
  '/usr/lib/R/site-library/RSQLite': 'r-cran-rsqlite',
  sqlite3: 'sqlite3',
  '/usr/bin/victoria-metrics': 'victoria-metrics',
};

/** Additions of a viewer to a query, to see more. */
const WIDER = [
  '&extra_label=region=hidden',
  '&extra_filters[]={region!=""}&extra_filters[]={product!=""}',
  '&extra_filters={region="hidden"}',
  '%20or%20sales{region="hidden"}',
];

async function metricsBehindNginx() {
  const metrics = await startMetrics();
  const look = async (port, headers) => {
    const { status, seen } = await exchange(port, 'GET', SALES, headers);
    for (const more of WIDER) {
      const wider = await exchange(
        port,
        'GET',
        encodeURI(SALES) + more.replaceAll('"', '%22'),
        headers,
      );
      // A query that cannot be read would say nothing.
      const isLost = wider.status !== status;
      if (isLost || wider.seen.includes(HIDDEN)) return wider;
    }
    return { status, seen };
  };
  return keepsApart((lab) => startNginxOfMetrics(lab, metrics), look, false);
}

/** The configuration of the kit for the application of the page. */
function kitConfigOf(service, port, proxy) {
  const tenants = Object.values(TENANTS).map(({ source, region, shows }) => ({
    data_source: source,
    properties: { region },
    shows: [shows],
  }));
  return {
    service: {
      url: service.url,
      api_token_env: 'KIT_API_TOKEN',
      disposable_workspace: true,
      other_workspace_api_token_env: 'OTHER_API_TOKEN',
    },
    proxy,
    renderer: {
      url: `http://127.0.0.1:${port}${SALES}`,
      headers: { Authorization: 'Bearer {token}' },
      gives_up_seconds: 12,
    },
    schema: 'sales',
    tenants,
    variables: { region: 'string' },
    never_shows: [HIDDEN],
    embed: { audience: AUDIENCE, origin: ORIGIN, act_header: 'X-Acting' },
    gateway: {
      headers: {
        'X-User-Group': 'globex',
        'X-User-Group-Data-Source': TENANTS.globex.source,
        'X-Region': TENANTS.globex.region,
      },
    },
  };
}

/** A data API writes no SQL, has no page and no dashboards, and the gateway hands on no variables of a token. */
const NOT_FOR_METRICS = [
  'sql-text',
  'variable-writes',
  'trace-referrer',
  'trace-logs',
  'embed-resources',
  'embed-variables',
  ...OFFERS,
];

async function passesTheKit() {
  const [metrics, service] = [await startMetrics(), await startService()];
  const [port, proxyPort] = [await freePort(), await freePort()];
  const proxy = `127.0.0.1:${proxyPort}`;
  const lab = { port, service: `http://${proxy}`, apiToken: service.rendererToken };
  await untilItAccepts(startNginxOfMetrics(lab, metrics).child, port);
  const config = kitConfigOf(service, port, proxy);
  const env = { OTHER_API_TOKEN: service.otherToken };
  return passedAllBut(NOT_FOR_METRICS, await runKit(config, [], env));
}

const behind = (application, gateway) => [
  `${application} behind ${gateway}`,
  async () => {
    const { start, look } = applications[application];
    const url = await start();
    return keepsApart((lab) => startedGateways[gateway]({ ...lab, application: url }), look, true);
  },
];

async function main() {
  requirePrograms(PROGRAMS);
  await runSteps({
    'the page of VictoriaMetrics': leadsToTwoGroups,
    'the page of Shiny': showsTwoGroups,
    'the nginx of the page of Shiny': handsOnItsOwnHeaders,
    'VictoriaMetrics behind nginx': metricsBehindNginx,
    'the conformance kit on VictoriaMetrics behind nginx': passesTheKit,
    ...Object.fromEntries([
      behind('Shiny', 'the nginx of its page'),
      behind('Shiny', 'nginx'),
      behind('Shiny', 'Caddy'),
      behind('Streamlit', 'HAProxy'),
    ]),
  });
}

main().catch((error) => {
  process.stderr.write(`gateways: ${error.message}\n`);
  process.exitCode = 1;
});
