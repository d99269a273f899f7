/** Who may import whom in src/. A feature may reach another only where the list below says so. */
const features = {
  audit: [],
  workspace: ['audit'],
  'api-token': ['workspace', 'audit', 'rate-limit'],
  'encryption-key': ['audit'],
  registry: ['audit', 'workspace'],
  'user-group': ['audit', 'encryption-key', 'rate-limit', 'registry'],
  'embed-token': ['audit', 'encryption-key', 'user-group'],
  introspection: ['user-group', 'registry', 'embed-token'],
  'rate-limit': [],
  metrics: [],
  health: [],
};

const featureRules = Object.entries(features).map(([feature, allowed]) => ({
  name: `${feature}-imports`,
  comment: `src/${feature} may import common, config, database${allowed.map((name) => `, ${name}`).join('')}`,
  severity: 'error',
  from: { path: `^src/${feature}/` },
  to: {
    path: '^src/',
    pathNot: `^src/(${[feature, 'common', 'config', 'database', ...allowed].join('|')})/`,
  },
}));

/** The foreign keys of entities need the other class; they are relations, not services. */
const ENTITY = '\\.entity\\.ts$';

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...featureRules.map((rule) => ({
      ...rule,
      from: { ...rule.from },
      to: { ...rule.to, pathNot: [rule.to.pathNot, ENTITY] },
    })),
    {
      name: 'entities-meet-entities',
      comment: 'across features only an entity may import an entity, for its foreign key',
      severity: 'error',
      from: { path: '^src/user-group/', pathNot: ENTITY },
      to: { path: '^src/workspace/' },
    },
    {
      name: 'new-features-are-listed-above',
      severity: 'error',
      from: {
        path: '^src/([^/]+)/',
        pathNot: `^src/(${[...Object.keys(features), 'cli', 'common', 'config', 'database', 'docs'].join('|')})/`,
      },
      to: { path: '^src/', pathNot: ['^src/($1|common|config|database)/', ENTITY] },
    },
    {
      name: 'common-is-a-leaf',
      severity: 'error',
      from: { path: '^src/common/' },
      to: { path: '^src/', pathNot: '^src/common/' },
    },
    {
      name: 'config-imports-common',
      severity: 'error',
      from: { path: '^src/config/' },
      to: { path: '^src/', pathNot: '^src/(config|common)/' },
    },
    {
      name: 'database-imports-config',
      severity: 'error',
      from: { path: '^src/database/' },
      to: { path: '^src/', pathNot: '^src/(database|config|common)/' },
    },
    {
      name: 'docs-describe-the-application',
      severity: 'error',
      from: { path: '^src/docs/' },
      to: { path: '^src/', pathNot: '^src/(docs|common|config)/|^src/app\\.module\\.ts$' },
    },
    {
      name: 'drivers-stay-in-the-database-folder',
      comment: 'pg and better-sqlite3 are named in one folder',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/database/' },
      to: { path: 'node_modules/(pg|better-sqlite3)/' },
    },
    {
      name: 'commands-belong-to-the-command-line',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/cli(\\.ts$|/)' },
      to: { path: '^src/cli/' },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'nothing-imports-an-entry-point',
      severity: 'error',
      from: {},
      to: { path: '^(src/(main|cli)\\.ts|ormconfig\\.ts)$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    combinedDependencies: true,
  },
};
