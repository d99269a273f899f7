/** Who may import whom in src/. A feature may reach another only where the list below says so. */
const features = {
  activity: [],
  audit: [],
  workspace: ['audit'],
  'api-token': ['workspace', 'audit', 'rate-limit'],
  'encryption-key': ['audit'],
  // What a group's mapping may name, and the rules it has to keep, lie below the groups.
  'registry/mapping': ['audit', 'workspace'],
  'user-group': ['activity', 'audit', 'encryption-key', 'rate-limit', 'registry/mapping'],
  // The registered things, and the settings of workspaces, lie above the groups that refer to them.
  registry: ['audit', 'workspace', 'user-group'],
  'embed-token': ['audit', 'encryption-key', 'user-group'],
  event: ['audit', 'encryption-key'],
  introspection: ['activity', 'user-group', 'registry/mapping', 'embed-token'],
  webhook: ['audit', 'workspace', 'user-group', 'encryption-key', 'event'],
  // Of the running service: it signs in with what the others authenticate.
  console: ['api-token', 'audit', 'rate-limit', 'workspace'],
  overview: ['activity', 'api-token', 'user-group'],
  system: ['encryption-key', 'event', 'rate-limit', 'user-group'],
  'rate-limit': [],
  metrics: [],
  health: [],
};

const featureRules = Object.entries(features).map(([feature, allowed]) => ({
  name: `${feature.replace('/', '-')}-imports`,
  comment: `src/${feature} may import common, config, database${allowed.map((name) => `, ${name}`).join('')}`,
  severity: 'error',
  from: { path: `^src/${feature}/`, pathNot: lowerRoomsOf(feature) },
  to: {
    path: '^src/',
    pathNot: `^src/(${[feature, 'common', 'config', 'database', ...allowed].join('|')})/`,
  },
}));

/** Rooms of a feature that have a row of their own in the list above. */
function lowerRoomsOf(feature) {
  const rooms = Object.keys(features).filter((name) => name.startsWith(`${feature}/`));
  return rooms.map((name) => `^src/${name}/`);
}

/** The foreign keys of entities need the other class; they are relations, not services. */
const ENTITY = '\\.entity\\.ts$';

/**
 * Who may import whom inside of a folder that has rooms. Its module sees all of them; `.` is what lies
 * beside the module and not in a room.
 */
const rooms = {
  database: {
    '.': ['migrations'],
    migrations: ['.'],
    sqlite: ['.'],
    postgres: ['.'],
    schema: ['.', 'migrations'],
    upkeep: ['.'],
    move: ['.', 'migrations', 'schema', 'sqlite'],
  },
  registry: {
    mapping: [],
    settings: ['mapping'],
    things: ['mapping'],
  },
  webhook: {
    '.': [],
    sending: [],
    endpoint: ['sending'],
    delivery: ['sending', 'endpoint'],
    notice: [],
  },
  'user-group': {
    '.': ['group', 'rotation', 'resource'],
    entities: [],
    token: ['entities'],
    snapshot: ['token'],
    group: ['entities', 'token'],
    rotation: ['group', 'token', 'snapshot'],
    resource: ['group', 'token'],
    bulk: ['group', 'token'],
    conformance: [],
    counts: ['conformance'],
    keys: [],
  },
};

const roomRules = Object.entries(rooms).flatMap(([feature, rows]) => [
  ...Object.entries(rows).map(([room, allowed]) => ({
    name: `${feature}-${room === '.' ? 'root' : room}-imports`,
    comment: `${pathOf(feature, room)} may import of its folder ${allowed.join(', ') || 'nothing'}`,
    severity: 'error',
    from: { path: pathOf(feature, room), pathNot: '\\.module\\.ts$' },
    to: {
      path: `^src/${feature}/`,
      pathNot: [room, ...allowed].map((name) => pathOf(feature, name)),
    },
  })),
  {
    name: `rooms-of-${feature}-are-listed-above`,
    severity: 'error',
    from: { path: '^src/' },
    to: {
      path: `^src/${feature}/`,
      pathNot: ['.', ...Object.keys(rows)].map((room) => pathOf(feature, room)),
    },
  },
]);

function pathOf(feature, room) {
  return room === '.' ? `^src/${feature}/[^/]+$` : `^src/${feature}/${room}/`;
}

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...featureRules.map((rule) => ({
      ...rule,
      from: { ...rule.from },
      to: { ...rule.to, pathNot: [rule.to.pathNot, ENTITY] },
    })),
    ...roomRules,
    {
      name: 'entities-meet-entities',
      comment: 'across features only an entity may import an entity, for its foreign key',
      severity: 'error',
      from: { path: '^src/([^/]+)/', pathNot: ENTITY },
      to: { path: ENTITY, pathNot: '^src/$1/' },
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
