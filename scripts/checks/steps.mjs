/**
 * A step of `.ci/run` and of `npm run release:check`.
 * @typedef {object} Step
 * @property {string} name
 * @property {string} [ci] the command of `.ci/run`. A step without one is too long for each merge, or its short form shows nothing
 * @property {string} [release] the command of the release check, if it is another: the full length of a short form
 * @property {'suites'} [lane] `.ci/run` makes the steps of a lane one after the other: the two large suites, which take
 *   longest, and fill both cores together; and beside them all others. A third lane ends no sooner, and makes every test slower
 * @property {true} [isStatic] the step runs nothing of the service, and begins before the drivers are compiled
 * @property {number} seconds the budget of the first command. A step above it is marked, and fails nothing: a busy machine is no fault
 */

export const PACKAGES = {
  name: 'npm ci, with tools',
  ci: 'npm run --silent tools -- --ignore-scripts',
  seconds: 50,
};

/** Compiles the SQLite driver, on one core, where its binary cannot be fetched. */
export const DRIVERS = { name: 'drivers', ci: 'npm rebuild', seconds: 60 };

/** Its output has the variables that lead the other steps to the servers. */
export const SERVICES = {
  name: 'PostgreSQL, Redis, browser and tools',
  ci: 'node scripts/services.mjs',
  seconds: 90,
};

export const BUILD = { name: 'build', ci: 'npm run --silent build', seconds: 20 };

const WITHOUT_SERVERS = 'env -u CI -u TEST_DATABASE_URL -u TEST_REDIS_URL npm test --';
const DEPEND_ON_SERVERS =
  "$(git grep -lE 'onPostgres|databaseKinds|redisUrl|canStart' 'test/**/*.test.ts')";

const system = (name, short = '') => ({
  ci: `npm run --silent test:${name} -- ${short}`.trim(),
  release: `npm run --silent test:${name}`,
});
const atFullLengthOnly = (command) => ({ release: command });

/** @type {Step[]} */
export const STEPS = [
  // These have no test that could be held up, and leave the cores to those that have.
  {
    name: 'lint, format, import boundaries, dead code',
    ci: 'nice npm run --silent lint',
    isStatic: true,
    seconds: 120,
  },
  { name: 'types', ci: 'nice npm run --silent typecheck', isStatic: true, seconds: 40 },
  { name: 'known vulnerabilities', ci: 'scripts/checks/audit.sh', isStatic: true, seconds: 10 },
  { name: 'tests on both databases, with Redis', ci: 'npm test', lane: 'suites', seconds: 560 },
  {
    name: 'browser',
    // The suites before test on SQLite all that a page calls.
    ci: 'TEST_SQLITE=off npm run --silent test:browser',
    release: 'npm run --silent test:browser',
    lane: 'suites',
    seconds: 240,
  },
  { name: 'conformance kit', ...system('conformance', '--short'), seconds: 150 },
  {
    name: 'package and its surface',
    ci: 'npx jest --config jest.tools.config.mjs --runInBand test/package/surface',
    release: 'npm run --silent test:package',
    seconds: 100,
  },
  { name: 'generated clients, rules of the document', ...system('tools'), seconds: 20 },
  {
    name: 'examples of pages, and the clients as they are installed',
    ...system('examples'),
    seconds: 100,
  },
  { name: 'outages of the database', ...system('outages', '--short'), seconds: 100 },
  { name: 'replicas', ...system('replicas', '--short'), seconds: 80 },
  { name: 'renderers and gateways of others', ...system('renderers'), seconds: 80 },
  {
    name: 'tests without PostgreSQL and Redis',
    ci: `${WITHOUT_SERVERS} ${DEPEND_ON_SERVERS}`,
    release: WITHOUT_SERVERS,
    seconds: 80,
  },
  { name: 'kill -9 during a write load', ...system('durability', '--kills 4'), seconds: 40 },
  {
    name: 'variables in SQL on real engines',
    ...system('bind-variables', '--values 2000 --texts 2000'),
    seconds: 40,
  },
  // `npm test` has the small forms of these four. Few groups show neither the memory nor the times that they are about.
  {
    name: 'import and export under load',
    ...atFullLengthOnly('npm run --silent test:import'),
    seconds: 120,
  },
  {
    name: 'keys rewrap under load',
    ...atFullLengthOnly('npm run --silent test:rewrap'),
    seconds: 120,
  },
  {
    name: 'index of a migration beside callers',
    ...atFullLengthOnly('npm run --silent test:index'),
    seconds: 120,
  },
  {
    name: 'move from SQLite to PostgreSQL',
    ...atFullLengthOnly('npm run --silent test:migrate-data'),
    seconds: 120,
  },
  {
    name: 'documentation of the exports',
    ...atFullLengthOnly('npm run --silent api:docs'),
    seconds: 30,
  },
  {
    name: 'bill of materials',
    ...atFullLengthOnly('npm run --silent sbom >/dev/null'),
    seconds: 20,
  },
  {
    name: 'other versions of Node',
    ...atFullLengthOnly('scripts/on-node.sh 22 24 26'),
    seconds: 500,
  },
  {
    name: 'generators of clients',
    ...atFullLengthOnly('npm run --silent test:generators'),
    seconds: 90,
  },
  {
    name: 'tools that take tokens of targets',
    ...atFullLengthOnly('npm run --silent test:targets'),
    seconds: 400,
  },
  {
    name: 'tokens for Grafana',
    ...atFullLengthOnly('npm run --silent test:grafana'),
    seconds: 60,
  },
  {
    name: 'Cube with its package',
    ...atFullLengthOnly('npm run --silent test:cube'),
    seconds: 300,
  },
  {
    name: 'PostGraphile with row-level security',
    ...atFullLengthOnly('npm run --silent test:postgraphile'),
    seconds: 200,
  },
  {
    name: 'Superset with two user groups',
    ...atFullLengthOnly('npm run --silent test:superset'),
    seconds: 600,
  },
  {
    name: 'applications behind gateways',
    ...atFullLengthOnly('npm run --silent test:gateways'),
    seconds: 120,
  },
  { name: 'event streams', ...atFullLengthOnly('npm run --silent test:streams'), seconds: 120 },
  { name: 'neighbours', ...atFullLengthOnly('npm run --silent test:neighbours'), seconds: 300 },
  { name: 'images', ...atFullLengthOnly('npm run --silent test:container'), seconds: 600 },
  {
    name: 'speed beside the last release',
    ...atFullLengthOnly('npm run --silent bench -- verdict'),
    seconds: 1200,
  },
  {
    name: 'ready to be published',
    ...atFullLengthOnly('node scripts/release/check.mjs'),
    seconds: 30,
  },
];
