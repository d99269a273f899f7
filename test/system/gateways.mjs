import process from 'node:process';
import { applications, exchange, startMetrics } from './gateways/applications.mjs';
import { keepsApart } from './gateways/keeps-apart.mjs';
import { startedGateways, startNginxOfMetrics } from './gateways/started.mjs';
import { requirePrograms } from './lab/packages.mjs';
import { runSteps } from './lab/report.mjs';

// Shows that applications which read headers keep two groups apart behind the gateways of docs/guides/gateways.md, with the
// settings and the code of that page: each viewer sees the rows of the own group, whatever headers are forged; a token that
// has ended is refused at the next request; and an open connection lives on until the gateway ends it.
//
//   node test/system/gateways.mjs
//
// It needs Debian's nginx, Caddy, HAProxy, VictoriaMetrics and Shiny, which it installs as root, and Streamlit from PyPI, about
// 500 MB, which it installs into GATEWAY_TOOLS if it is set, where it stays, or else into a temporary directory.

const PROGRAMS = {
  caddy: 'caddy',
  haproxy: 'haproxy',
  nginx: 'nginx',
  Rscript: 'r-base-core',
  '/usr/lib/R/site-library/shiny': 'r-cran-shiny',
  '/usr/bin/victoria-metrics': 'victoria-metrics',
};

const SALES = '/api/v1/query?query=sales';
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
      if (wider.status < 400 && /Canary/.test(wider.seen)) return wider;
    }
    return { status, seen };
  };
  return keepsApart((lab) => startNginxOfMetrics(lab, metrics), look, false);
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
    'VictoriaMetrics behind nginx': metricsBehindNginx,
    ...Object.fromEntries([
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
