/**
 * Who may import whom in src/, from the bottom to the top: a feature may import the features that its row names,
 * each of which is in an earlier row.
 */
export const features = {
  'change-log': [],
  activity: [],
  audit: [],
  health: [],
  metrics: [],
  'rate-limit': [],
  'encryption-key': ['audit'],
  idempotency: ['encryption-key'],
  workspace: ['audit'],
  'api-token': ['workspace', 'audit', 'rate-limit', 'idempotency'],
  // What a group's mapping may name, and the rules it has to keep, lie below the groups.
  mapping: ['audit', 'workspace'],
  'user-group': ['activity', 'audit', 'encryption-key', 'rate-limit', 'mapping'],
  // The registered things, and the settings of workspaces, lie above the groups that refer to them.
  registry: ['audit', 'workspace', 'mapping', 'user-group', 'idempotency'],
  'embed-token': ['audit', 'encryption-key', 'user-group', 'idempotency'],
  introspection: ['activity', 'mapping', 'user-group', 'embed-token'],
  inspection: ['api-token', 'audit', 'workspace', 'user-group', 'embed-token'],
  revocation: ['api-token', 'audit', 'workspace', 'user-group', 'embed-token'],
  event: ['audit', 'encryption-key'],
  webhook: ['api-token', 'audit', 'workspace', 'user-group', 'encryption-key', 'event', 'idempotency'],
  'key-administration': ['audit', 'encryption-key', 'user-group', 'webhook'],
  // Of the running service: it signs in with what the others authenticate.
  console: ['api-token', 'audit', 'rate-limit', 'workspace'],
  overview: ['activity', 'api-token', 'user-group'],
  system: ['encryption-key', 'event', 'key-administration', 'rate-limit', 'user-group'],
};

/** What every feature may import. */
export const GROUND = ['common', 'config', 'database', 'change-log'];

const featureRules = Object.entries(features).map(([feature, allowed]) => ({
  name: `${feature}-imports`,
  comment: `src/${feature} may import ${[...GROUND, ...allowed].join(', ')}`,
  severity: 'error',
  from: { path: `^src/${feature}/` },
  to: { path: '^src/', pathNot: `^src/(${[feature, ...GROUND, ...allowed].join('|')})/` },
}));

const ENTITY = '\\.entity\\.ts$';

/**
 * Who may import whom inside of a folder that has rooms. Its module and its feature see all of them; `.` is what lies
 * beside the module and not in a room.
 */
const rooms = {
  database: {
    '.': ['migrations'],
    migrations: ['.'],
    sqlite: ['.'],
    postgres: ['.'],
    schema: ['.', 'migrations', 'postgres'],
    upkeep: ['.'],
    waves: ['.'],
    move: ['.', 'migrations', 'postgres', 'schema', 'sqlite'],
  },
  'change-log': { '.': [], sqlite: ['.'], postgres: ['.'] },
  'api-token': { '.': [], authentication: ['.'] },
  audit: { '.': [], tally: ['.'] },
  console: { '.': [], session: ['.'], openid: ['.', 'session'] },
  event: { '.': ['feed', 'stream', 'consumer'], feed: [], stream: ['feed'], consumer: ['feed'] },
  registry: { settings: [], things: [] },
  webhook: {
    '.': [],
    entities: [],
    sending: [],
    endpoint: ['entities', 'sending'],
    delivery: ['entities', 'sending', 'endpoint'],
    reminder: ['entities'],
  },
  'user-group': {
    '.': ['group', 'writing', 'rotation', 'resource'],
    entities: [],
    status: ['token'],
    token: ['entities'],
    snapshot: ['status', 'token'],
    group: ['entities', 'token'],
    writing: ['entities', 'group', 'status', 'token'],
    rotation: ['group', 'token', 'snapshot', 'writing'],
    history: ['group', 'status', 'token'],
    resource: ['group', 'status', 'token', 'writing', 'history'],
    bulk: ['group', 'resource', 'status', 'token', 'writing'],
    conformance: ['status'],
    counts: ['status', 'token'],
  },
};

const roomRules = Object.entries(rooms).flatMap(([feature, rows]) => [
  ...Object.entries(rows).map(([room, allowed]) => ({
    name: `${feature}-${room === '.' ? 'root' : room}-imports`,
    comment: `${pathOf(feature, room)} may import of its folder ${allowed.join(', ') || 'nothing'}`,
    severity: 'error',
    from: { path: pathOf(feature, room), pathNot: '\\.(module|feature)\\.ts$' },
    to: { path: `^src/${feature}/`, pathNot: [room, ...allowed].map((name) => pathOf(feature, name)) },
  })),
  {
    name: `rooms-of-${feature}-are-listed-above`,
    severity: 'error',
    from: { path: '^src/' },
    to: { path: `^src/${feature}/`, pathNot: ['.', ...Object.keys(rows)].map((room) => pathOf(feature, room)) },
  },
]);

function pathOf(feature, room) {
  return room === '.' ? `^src/${feature}/(dto/)?[^/]+$` : `^src/${feature}/${room}/`;
}

/**
 * The parts of src/common from the bottom to the top, each with the paths that belong to it. A part may import itself
 * and the parts of earlier rows.
 */
const common = Object.entries({
  leaves: '(api-docs|early-signals|fold-case|globs|json-pointer|repeated-failures|single-files\\.d|version)\\.ts$',
  secret: 'secret/',
  // Errors have violations, and the checks of values make them.
  violation: 'problem/violation\\.ts$',
  values: '(fields|grace|text|time)\\.ts$',
  problem: 'problem/(?!violation|problem\\.filter)',
  description: '(log|operation)\\.ts$',
  // Turns go by the caller, and the log of requests names it. Its rights are judged in `access`.
  caller: 'access/(caller|scopes)\\.ts$',
  concurrency: 'concurrency/',
  extension: 'extension/',
  json: 'json/(?!json-body\\.)',
  // The decorator of bodies reads requests, and the filter of problems writes responses.
  http: 'http/|json/json-body\\.|problem/problem\\.filter',
  access: 'access/(?!(caller|scopes)\\.ts$)',
}).map(([name, paths]) => ({ name, path: `^src/common/(${paths})` }));

const commonRules = [
  ...common.map(({ name, path }, index) => ({
    name: `common-${name}-imports`,
    comment: `of src/common it may import ${common
      .slice(0, index + 1)
      .map((part) => part.name)
      .join(', ')}`,
    severity: 'error',
    from: { path },
    to: { path: '^src/common/', pathNot: common.slice(0, index + 1).map((part) => part.path) },
  })),
  {
    name: 'parts-of-common-are-listed-above',
    severity: 'error',
    from: { path: '^src/' },
    to: { path: '^src/common/', pathNot: common.map(({ path }) => path) },
  },
];

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...featureRules,
    ...roomRules,
    ...commonRules,
    {
      name: 'entities-stay-in-their-folder',
      comment: 'a foreign key names a table; the registry administers what mappings name',
      severity: 'error',
      from: { path: '^src/([^/]+)/', pathNot: '^src/library/index\\.ts$' },
      to: { path: ENTITY, pathNot: ['^src/$1/', '^src/mapping/registered-'] },
    },
    {
      name: 'new-features-are-listed-above',
      severity: 'error',
      from: {
        path: '^src/([^/]+)/',
        pathNot: `^src/(${[...Object.keys(features), 'app', 'cli', 'common', 'config', 'database', 'library'].join('|')})/`,
      },
      to: { path: '^src/', pathNot: `^src/($1|${GROUND.join('|')})/` },
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
      name: 'the-document-describes-the-application',
      severity: 'error',
      from: { path: '^src/app/openapi/' },
      to: { path: '^src/', pathNot: '^src/(app/openapi|common|config)/|^src/app/app\\.module\\.ts$' },
    },
    {
      name: 'the-library-takes-in-the-application',
      comment: 'the application does not know that it is also a library',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/library/' },
      to: { path: '^src/library/' },
    },
    {
      name: 'drivers-stay-below',
      comment: 'pg and better-sqlite3 are named in two folders',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(database|change-log)/' },
      to: { path: 'node_modules/(pg|better-sqlite3)/' },
    },
    {
      name: 'loaded-when-needed',
      comment: 'what few processes use is imported by `await import()`, or as a type',
      severity: 'error',
      from: { path: '^src/' },
      to: {
        path: 'node_modules/(@nestjs/swagger|@redis/client|better-sqlite3|pg|pino-pretty)/',
        dependencyTypesNot: ['dynamic-import', 'type-only'],
      },
    },
    {
      name: 'commands-belong-to-the-command-line',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/cli(\\.ts$|/)' },
      to: { path: '^src/cli/' },
    },
    {
      name: 'the-clients-stand-alone',
      comment: 'each of them is a package of its own',
      severity: 'error',
      from: { path: '^clients/([^/]+)/' },
      to: { path: '^(src|console|clients)/', pathNot: '^clients/$1/' },
    },
    {
      name: 'the-page-calls-the-service',
      comment: 'it shares the types of the API, the reader of streams and the names of actions',
      severity: 'error',
      from: { path: '^console/src/' },
      to: {
        path: '^(src|clients)/',
        pathNot: '^(clients/typescript/(schema\\.d|event-stream)|src/audit/audit-actions)\\.ts$',
      },
    },
    {
      name: 'the-service-knows-neither-its-page-nor-its-clients',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/library/' },
      to: { path: '^(console|clients)/' },
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
