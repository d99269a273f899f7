import { readFileSync } from 'node:fs';
import { idsOf, OFFERS, passedAllBut, runKit } from '../conformance/kit.mjs';
import { Violated } from '../lab/report.mjs';
import { settingsOf } from '../renderers/settings.mjs';
import { configuration, startCube } from './scene.mjs';

/** Cube shows no SQL, has no page, and no gateway in front of it. The page names no dashboard and no variable of a viewer. */
const NOT_FOR_THE_PAGE = [
  'sql-text',
  'trace-referrer',
  'gateway-headers',
  'embed-resources',
  'embed-variables',
  ...OFFERS.filter((check) => !check.startsWith('stream-')),
];
const DECLARED = [
  { name: 'region', type: 'string', source: 'group' },
  { name: 'min_amount', type: 'integer', source: 'group' },
  { name: 'product', type: 'string', source: 'token' },
];
/** Filters by a variable that only some viewers have, and a dashboard. */
const WITH_VIEWERS = {
  "min_amount: 'integer' }": "min_amount: 'integer', product: 'string?' }",
  '({ region, min_amount }) => [': `({ region, min_amount, product }) => [
    ...(product === undefined ? [] : [{ member: 'sale.product', operator: 'equals', values: [product] }]),`,
  "schema: 'sales',": "schema: 'sales', resource: { type: 'dashboard', id: 'sales' },",
};

/** The configuration of the kit on the page, for this Cube. */
function kitConfigOf({ service }, cube, embed = {}) {
  const config = JSON.parse(
    settingsOf('cube.kit', {
      'http://127.0.0.1:3000': service.url,
      'http://127.0.0.1:4000': cube.url,
      'ws://127.0.0.1:4000': cube.url.replace('http', 'ws'),
      '127.0.0.1:3999': cube.proxy,
      'cube.log': cube.log,
      CONFORMANCE_API_TOKEN: 'KIT_API_TOKEN',
    }),
  );
  Object.assign(config.service, {
    other_workspace_api_token_env: 'OTHER_API_TOKEN',
    disposable_workspace: true,
  });
  Object.assign(config.embed, embed);
  return config;
}

/** Runs the kit on Cube with a configuration. @returns its result, and the log of Cube */
export async function judge(lab, code, { args = [], embed, env } = {}) {
  const cube = await startCube(lab, code, { isBehindProxy: true, env });
  try {
    const told = await runKit(kitConfigOf(lab, cube, embed), args, {
      OTHER_API_TOKEN: lab.service.otherToken,
    });
    return { ...told, log: readFileSync(cube.log, 'utf8') };
  } finally {
    await cube.stop();
  }
}

/** @returns figures @throws Violated */
export async function passesTheKit(lab) {
  return passedAllBut(NOT_FOR_THE_PAGE, await judge(lab, configuration()), [
    // Its responses repeat the filters.
    'trace-variables',
  ]);
}

/** Viewers of one group can have other variables and dashboards. @returns figures @throws Violated */
export async function keepsViewersApart(lab) {
  const { api } = lab.service;
  await api.send('PATCH', { variables: DECLARED }, '/api/v1/workspace');
  try {
    const embed = {
      resource: { type: 'dashboard', id: 'sales' },
      viewer: { variables: { product: 'Tents' }, shows: ['Tents'] },
    };
    const args = ['--strict', '--only', 'embed-resources,embed-variables,embed-audience'];
    const { code, outcomes, stdout } = await judge(lab, configuration(WITH_VIEWERS), {
      args,
      embed,
    });
    if (code !== 0) throw new Violated([`exit code ${code}`, stdout]);
    return `${idsOf(outcomes, 'passed').length} passed`;
  } finally {
    await api.send('PATCH', { variables: [] }, '/api/v1/workspace');
  }
}
