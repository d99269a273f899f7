import { declarations } from './scripts/surface/declarations.mjs';

const declared = declarations();

/**
 * The folders of the features, each after those of the features that its declaration needs or uses.
 * @type {Record<string, string[]>}
 */
const features = {};
for (const one of declared) addFeature(one, []);

function addFeature({ name, folder, needs, uses }, above) {
  const [wing, room] = folder.split('/');
  if (wing !== 'features' || room in features) return;
  if (above.includes(name)) throw new Error(`Features need one another: ${above.join(', ')}`);
  const others = declared.filter((other) => [...needs, ...uses].includes(other.name));
  for (const other of others) addFeature(other, [...above, name]);
  features[room] = others.flatMap((other) =>
    other.folder.startsWith('features/') ? other.folder.split('/')[1] : [],
  );
}

/**
 * The wings of src/ and their folders, from the bottom to the top. A folder may import the wings below its own, and of
 * its own the folders that its row names, each of which is in an earlier row. Rows of features come from their declarations.
 */
export const wings = {
  platform: {
    common: [],
    config: ['common'],
    'command-line': ['common', 'config'],
    database: ['common', 'config'],
    health: ['common', 'config', 'database'],
    metrics: ['common', 'config', 'database'],
  },
  core: {
    'change-log': [],
    activity: [],
    audit: ['change-log'],
    'rate-limit': [],
    'encryption-key': ['change-log', 'audit'],
    idempotency: ['encryption-key'],
    workspace: ['change-log', 'audit'],
    'api-token': ['change-log', 'workspace', 'audit', 'rate-limit', 'idempotency'],
    // What a group's mapping may name, and the rules it has to keep, lie below the groups.
    mapping: ['change-log', 'audit', 'workspace'],
    // A version names the API token of its author.
    'user-group': [
      'change-log',
      'activity',
      'audit',
      'encryption-key',
      'idempotency',
      'mapping',
      'api-token',
    ],
    'embed-token': [
      'change-log',
      'audit',
      'encryption-key',
      'workspace',
      'mapping',
      'user-group',
      'idempotency',
    ],
    introspection: ['change-log', 'activity', 'mapping', 'workspace', 'user-group', 'embed-token'],
  },
  features,
  server: { app: [], library: ['app'], cli: ['app'] },
};

const order = Object.keys(wings);

const wingRules = Object.entries(wings).flatMap(([wing, folders], floor) => [
  ...Object.entries(folders).map(([folder, allowed]) => ({
    name: `${folder}-imports`,
    comment: `src/${wing}/${folder} may import of its wing ${allowed.join(', ') || 'nothing'}, and the wings below`,
    severity: 'error',
    from: { path: `^src/${wing}/${folder}/` },
    to: {
      path: '^src/',
      pathNot: [
        `^src/${wing}/(${[folder, ...allowed].join('|')})/`,
        ...order.slice(0, floor).map((below) => `^src/${below}/`),
      ],
    },
  })),
  {
    name: `folders-of-${wing}-are-listed-above`,
    severity: 'error',
    from: { path: '^src/' },
    to: { path: `^src/${wing}/`, pathNot: `^src/${wing}/(${Object.keys(folders).join('|')})/` },
  },
]);

/** @returns the path of a folder below src/, with its wing */
function placeOf(folder) {
  return `${order.find((wing) => folder in wings[wing])}/${folder}`;
}

const ENTITY = '\\.entity\\.ts$';
const SETTINGS = '\\.settings\\.ts$';

/**
 * Who may import whom inside of a folder that has rooms. Its module, its feature and its commands see all of them, and
 * all of them see its settings; `.` is what lies beside the module and not in a room.
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
  },
  'change-log': { '.': [], sqlite: ['.'], postgres: ['.'] },
  'api-token': { '.': [], authentication: ['.'], provisioning: ['.'] },
  audit: { '.': [], tally: ['.'] },
  console: { '.': [], session: ['.'], openid: ['.', 'session'] },
  event: { '.': ['feed', 'stream', 'consumer'], feed: [], stream: ['feed'], consumer: ['feed'] },
  'bulk-job': {
    '.': ['entities', 'dto', 'lines', 'running'],
    entities: [],
    dto: ['.', 'entities'],
    lines: ['.', 'entities'],
    running: ['.', 'entities', 'lines'],
  },
  registry: { settings: [], entries: [] },
  webhook: {
    '.': [],
    entities: [],
    sending: [],
    endpoint: ['entities', 'sending'],
    delivery: ['entities', 'sending', 'endpoint'],
    reminder: ['entities'],
  },
  'user-group': {
    '.': ['group', 'guard', 'writing', 'rotation', 'resource'],
    entities: [],
    status: ['token'],
    token: ['entities'],
    snapshot: ['status', 'token'],
    group: ['entities', 'token'],
    guard: ['group'],
    writing: ['entities', 'group', 'status', 'token', 'guard'],
    rotation: ['group', 'token', 'snapshot', 'writing'],
    history: ['group', 'status', 'token'],
    resource: ['group', 'status', 'token', 'writing', 'history'],
  },
};

const roomRules = Object.entries(rooms).flatMap(([feature, rows]) => [
  ...Object.entries(rows).map(([room, allowed]) => ({
    name: `${feature}-${room === '.' ? 'root' : room}-imports`,
    comment: `${pathOf(feature, room)} may import of its folder ${allowed.join(', ') || 'nothing'}`,
    severity: 'error',
    from: { path: pathOf(feature, room), pathNot: '\\.(module|feature|command)\\.ts$' },
    to: {
      path: `^src/${placeOf(feature)}/`,
      pathNot: [SETTINGS, ...[room, ...allowed].map((name) => pathOf(feature, name))],
    },
  })),
  {
    name: `rooms-of-${feature}-are-listed-above`,
    severity: 'error',
    from: { path: '^src/' },
    to: {
      path: `^src/${placeOf(feature)}/`,
      pathNot: ['.', ...Object.keys(rows)].map((room) => pathOf(feature, room)),
    },
  },
]);

function pathOf(feature, room) {
  const place = `^src/${placeOf(feature)}/`;
  return room === '.' ? `${place}(dto/)?[^/]+$` : `${place}${room}/`;
}

/**
 * The parts of src/platform/common from the bottom to the top, each with the paths that belong to it. A part may import itself
 * and the parts of earlier rows.
 */
const common = Object.entries({
  leaves:
    '(api-docs|early-signals|fold-case|globs|json-pointer|repeated-failures|single-files\\.d|version)\\.ts$',
  secret: 'secret/',
  // Errors have violations, and the checks of values make them.
  violation: 'problem/violation\\.ts$',
  values: '(fields|grace|text|time)\\.ts$',
  problem: 'problem/(?!violation|problem\\.filter)',
  description: '(log|operation)\\.ts$',
  // Turns go by the caller, and the log of requests names it. Its rights are judged in `access`.
  caller: 'access/(caller|scopes|user-group-range)\\.ts$',
  concurrency: 'concurrency/',
  extension: 'extension/',
  json: 'json/(?!json-body\\.)',
  // The decorator of bodies reads requests, and the filter of problems writes responses.
  http: 'http/|json/json-body\\.|problem/problem\\.filter',
  access: 'access/(?!(caller|scopes|user-group-range)\\.ts$)',
}).map(([name, paths]) => ({ name, path: `^src/platform/common/(${paths})` }));

const commonRules = [
  ...common.map(({ name, path }, index) => ({
    name: `common-${name}-imports`,
    comment: `of src/platform/common it may import ${common
      .slice(0, index + 1)
      .map((part) => part.name)
      .join(', ')}`,
    severity: 'error',
    from: { path },
    to: {
      path: '^src/platform/common/',
      pathNot: common.slice(0, index + 1).map((part) => part.path),
    },
  })),
  {
    name: 'parts-of-common-are-listed-above',
    severity: 'error',
    from: { path: '^src/' },
    to: { path: '^src/platform/common/', pathNot: common.map(({ path }) => path) },
  },
];

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...wingRules,
    ...roomRules,
    ...commonRules,
    {
      name: 'entities-stay-in-their-folder',
      comment: 'a foreign key names a table; the registry administers what mappings name',
      severity: 'error',
      from: { path: '^src/([^/]+/[^/]+)/', pathNot: '^src/server/library/index\\.ts$' },
      to: { path: ENTITY, pathNot: ['^src/$1/', '^src/core/mapping/schemas-and-data-sources'] },
    },
    {
      name: 'the-document-describes-the-application',
      severity: 'error',
      from: { path: '^src/server/app/openapi/' },
      to: {
        path: '^src/',
        pathNot:
          '^src/(server/app/openapi|platform/(common|config))/|^src/server/app/(app\\.module|features)\\.ts$',
      },
    },
    {
      name: 'drivers-stay-below',
      comment: 'pg and better-sqlite3 are named in three folders',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(platform/database|core/change-log|server/cli/move)/' },
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
      name: 'commands-are-loaded-when-named',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '\\.command\\.ts$', dependencyTypesNot: ['dynamic-import'] },
    },
    {
      name: 'the-terminal-is-for-commands',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot:
          '^src/(cli\\.ts|server/cli/|platform/command-line/|features/plan/files/)|\\.command\\.ts$',
      },
      to: { path: '^src/platform/command-line/' },
    },
    {
      name: 'the-clients-stand-alone',
      comment: 'each of them is a package of its own',
      severity: 'error',
      from: { path: '^clients/([^/]+)/' },
      to: {
        path: '^(src|console|clients)/',
        pathNot: ['^clients/$1/', '^clients/typescript/index\\.ts$'],
      },
    },
    {
      name: 'cube-alone-needs-the-client',
      comment: 'which is a peer of its package',
      severity: 'error',
      from: { path: '^clients/(?!cube/|typescript/)' },
      to: { path: '^clients/typescript/' },
    },
    {
      name: 'the-helper-of-pages-is-one-file',
      comment: 'a page may load it as it is',
      severity: 'error',
      from: { path: '^clients/embed/.*\\.ts$' },
      to: {},
    },
    {
      name: 'the-page-calls-the-service',
      comment: 'it shares the types of the API, the reader of streams and the names of actions',
      severity: 'error',
      from: { path: '^console/src/' },
      to: {
        path: '^(src|clients)/',
        pathNot: '^(clients/typescript/(schema\\.d|event-stream)|src/server/app/own-actions)\\.ts$',
      },
    },
    {
      name: 'the-service-knows-neither-its-page-nor-its-clients',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/server/library/' },
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
