import { Violated } from '../lab/report.mjs';
import { shareConnections } from './groups.mjs';
import { judge } from './kit.mjs';
import { endsWithItsToken } from './open-socket.mjs';
import { configuration, startCube } from './scene.mjs';

const REGION = "    { member: 'sale.region', operator: 'equals', values: [region] },\n";
const FILTERS = '({ region, min_amount }) => [';

/** Cube does not start with these, and says why. */
const REFUSED_AT_START = {
  'no audience': [{ "  audience: 'dashboards',\n": '' }, 'audience has to be'],
  'no data source': [{ 'new Map([': 'new Map([], [' }, 'dataSources has to be'],
  'no such type': [{ "min_amount: 'integer'": "min_amount: 'int'" }, 'declarations has to be'],
  'no filters': [{ '  filters: ': '  filter: ' }, 'userGroups has no option filter'],
  'no class of errors': [{ '  CubejsHandlerError,\n': '' }, 'CubejsHandlerError has to be'],
};

/** Each lets Cube start. The kit fails in the check, and its report or the log of Cube names the cause. */
const REFUSED_BY_THE_KIT = {
  'no queryRewrite': [{}, 'delete module.exports.queryRewrite;', 'baseline', 'Prototypes'],
  'filters that forget the region': [{ [REGION]: '' }, '', 'baseline', 'Prototypes'],
  'filters with a name that is misspelt': [
    { [FILTERS]: '({ regoin: region, min_amount }) => [' },
    '',
    'baseline',
    'a value of the filter on sale.region is missing',
  ],
  'filters that return nothing': [
    { [FILTERS]: '({ region, min_amount }) => void [' },
    '',
    'baseline',
    'filters has to return at least one filter',
  ],
  'another audience': [
    { "audience: 'dashboards'": "audience: 'reports'" },
    '',
    'embed-audience',
    'this renderer is reports',
  ],
  'no checkAuth': [{}, 'delete module.exports.checkAuth;', 'baseline', '403'],
  'the logger of Cube': [{}, 'delete module.exports.logger;', 'trace-logs', 'of the tokens in it'],
};

/** Keeps the filters of the first message, as a function of the host does that asks nobody. */
const ASKS_NOBODY = `const { queryRewrite } = module.exports;
const known = new WeakMap();
module.exports.queryRewrite = async (query, context) => {
  const { securityContext } = context;
  if (!known.has(securityContext)) known.set(securityContext, await queryRewrite(query, context));
  return known.get(securityContext);
};`;
const FOR_EACH_GROUP = `const { checkAuth } = module.exports;
let count = 0;
module.exports.checkAuth = async (request, token) => {
  await checkAuth(request, token);
  request.securityContext.group = String(++count);
};
module.exports.contextToOrchestratorId = ({ securityContext }) => securityContext.group;`;

/** Each mis-setting is noticed, and its cause is named. @returns figures @throws Violated */
export async function noticesMisSettings(lab) {
  const faults = [];
  for (const [what, [own, cause]] of Object.entries(REFUSED_AT_START)) {
    const said = await startCube(lab, configuration(own)).then(
      (cube) => cube.stop().then(() => 'it starts'),
      ({ message }) => message,
    );
    if (!said.includes(cause)) faults.push(`${what}: ${said}`);
  }
  for (const [what, [own, behind, check, cause]] of Object.entries(REFUSED_BY_THE_KIT)) {
    const args = ['--only', check];
    const { code, outcomes, stdout, log } = await judge(lab, configuration(own, behind), { args });
    const isNoticed = code === 1 && outcomes.get(check) !== 'passed';
    if (!isNoticed || !`${stdout}${log}`.includes(cause)) {
      faults.push(`${what}: exit code ${code}, ${outcomes.get(check)}: ${stdout}${log}`);
    }
  }
  faults.push(
    ...(await missing('asks nobody', () => endsWithItsToken(lab, ASKS_NOBODY), 'a suspension')),
    ...(await missing(
      'an orchestrator for each group',
      () => shareConnections(lab, FOR_EACH_GROUP),
      'groups hold',
    )),
  );
  if (faults.length > 0) throw new Violated(faults);
  const count = Object.keys({ ...REFUSED_AT_START, ...REFUSED_BY_THE_KIT }).length + 2;
  return `${count} are noticed, each by its cause`;
}

/** @returns a fault unless the step fails by this cause */
async function missing(what, step, cause) {
  try {
    return [`${what}: is not noticed: ${await step()}`];
  } catch (error) {
    return error instanceof Violated && error.message.includes(cause)
      ? []
      : [`${what}: ${error.message}`];
  }
}
