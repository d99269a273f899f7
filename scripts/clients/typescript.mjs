import {
  isPublic,
  isSafePost,
  known,
  listOf,
  makesKey,
  nameOf,
  OPERATION_KEYS,
} from './document.mjs';
import { withoutGateways, withParametersInPlace } from './parameters.mjs';
import { wrapped } from './wrapped.mjs';

// Writes the class of the TypeScript client from the OpenAPI document, with a method for each operation, and its
// version. Something in the document that this does not know is an error, so that no part is left out unnoticed.

const WIDTH = 120;
const HEADER = '// Generated from the OpenAPI document by `npm run client`: changes are lost.\n';
const LINES = 'application/x-ndjson';
const EVENTS = 'text/event-stream';

/** The generated files, by their names. */
export function generateMethods(published) {
  const document = withParametersInPlace(withoutGateways(published));
  return {
    'version.ts': `${HEADER}\nexport const VERSION = '${document.info.version}';\n`,
    'client.ts': writeClient(document),
  };
}

function writeClient({ paths, components: { schemas } }) {
  const methods = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) =>
      writeMethod(method.toUpperCase(), path, operation, schemas),
    ),
  );
  const text = methods.join('\n');
  const imports = [
    "import type { StreamMessage } from './event-stream.js';",
    "import { follow, type FollowedEvent, type FollowOptions } from './follow.js';",
    "import type { Pages } from './pages.js';",
    "import type { Query, Schemas } from './schemas.js';",
    "import { type CallOptions, type ClientOptions, Transport } from './transport.js';",
  ];
  return [
    HEADER,
    ...imports,
    '',
    '/**',
    ' * The service, with the rights of one API token: a method for each operation. A method throws `ApiError` if the call',
    " * does not succeed, and the reason of the caller's own signal.",
    ' */',
    'export class UserGroupClient {',
    '  readonly #transport: Transport;',
    '',
    '  /** @throws TypeError if an option cannot be used, without its value */',
    '  constructor(options: ClientOptions) {',
    '    this.#transport = new Transport(options);',
    '  }',
    '',
    text,
    '  /**',
    '   * Yields the events of the workspace as they happen, from one stream after the other: it goes on by itself after a',
    '   * lost connection and at the end of a stream. Each event comes at least once. It ends when its reader or `signal` ends',
    '   * it, or with an `ApiError` that no other stream would mend, such as 410 `events_gone`.',
    '   */',
    '  followEvents(options: FollowOptions = {}): AsyncGenerator<FollowedEvent, void> {',
    '    const { types, signal } = options;',
    '    const open = (lastEventId?: string) =>',
    '      this.streamEvents({ ...(types !== undefined && { types }) }, {',
    '        ...(lastEventId !== undefined && { lastEventId }),',
    '        ...(signal && { signal }),',
    '      });',
    '    return follow(open, options);',
    '  }',
    '}',
    '',
  ].join('\n');
}

function writeMethod(method, path, operation, schemas) {
  const { operationId: id, parameters = [] } = operation;
  known(operation, OPERATION_KEYS, id);
  const where = (place) => parameters.filter((parameter) => parameter.in === place);
  if (where('cookie').length > 0) throw new Error(`${id} has a parameter in a cookie`);
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) =>
    where('path').find((one) => one.name === name),
  );
  const [query, headers] = [where('query'), where('header')];
  const body = bodyOf(operation);
  const result = resultOf(operation, schemas);
  const byDefault = query.some(({ required }) => required) ? '' : ' = {}';
  const signature = (options, queryOf = (type) => `query: ${type}${byDefault}`) => [
    ...ids.map(({ name, schema }) => `${name}: ${schema.type === 'integer' ? 'number' : 'string'}`),
    ...(body ? [body.argument] : []),
    ...(query.length > 0 ? [queryOf(`Query<'${id}'>`)] : []),
    options,
  ];
  const call = [
    `method: '${method}'`,
    `path: '${path}'`,
    ...(ids.length > 0 ? [`ids: { ${ids.map(({ name }) => name).join(', ')} }`] : []),
    ...(body ? [body.field] : []),
    ...(body && body.mediaType !== 'application/json' ? [`mediaType: '${body.mediaType}'`] : []),
    ...(query.length > 0 ? ['query'] : []),
    ...(headers.length > 0
      ? [
          `headers: { ${headers.map(({ name }) => `'${name}': options.${camelCase(name)}`).join(', ')} }`,
        ]
      : []),
    ...(isPublic(operation) ? ['isPublic: true'] : []),
    ...(method === 'POST' && isSafePost(id) ? ['isSafe: true'] : []),
    ...(makesKey(operation) ? ['takesKey: true'] : []),
    'options',
  ];
  const doc = documentation(method, path, operation);
  const options = (ifNoneMatch) => optionsOf(headers, ifNoneMatch);
  // Without a condition there is always a body.
  const overloads = result.isConditional
    ? [
        ...doc,
        `  ${id}(${signature(`options: ${options('ifNoneMatch: string')}`, (type) => `query: ${type} | undefined`).join(', ')}): ${result.type};`,
        `  ${id}(${signature(`options?: ${options('ifNoneMatch?: undefined')}`, (type) => `query?: ${type}`).join(', ')}): Promise<${result.body}>;`,
      ]
    : doc;
  return [
    ...overloads,
    `  ${id}(${signature(`options: ${options('ifNoneMatch?: string')} = {}`).join(', ')}): ${result.type} {`,
    `    return this.#transport.${result.function}({ ${call.join(', ')} }${result.more});`,
    '  }',
    '',
  ].join('\n');
}

function optionsOf(headers, ifNoneMatch) {
  const fields = headers.map(({ name }) =>
    name === 'If-None-Match' ? ifNoneMatch : `${camelCase(name)}?: string`,
  );
  return fields.length === 0 ? 'CallOptions' : `CallOptions & { ${fields.join('; ')} }`;
}

function bodyOf({ operationId: id, requestBody }) {
  if (!requestBody) return undefined;
  const [[mediaType, { schema }]] = Object.entries(requestBody.content);
  const type = `Schemas['${nameOf(schema)}']`;
  if (mediaType === LINES) {
    return {
      mediaType,
      argument: `lines: Iterable<${type}> | AsyncIterable<${type}>`,
      field: 'lines',
    };
  }
  if (!['application/json', 'application/merge-patch+json'].includes(mediaType)) {
    throw new Error(`${id} takes ${mediaType}`);
  }
  return {
    mediaType,
    argument: `body: ${type}${requestBody.required ? '' : ' = {}'}`,
    field: 'body',
  };
}

/** The type that a method returns, and the function that reads it. */
function resultOf(operation, schemas) {
  const { operationId: id, responses } = operation;
  const good = Object.entries(responses).filter(([status]) => Number(status) < 400);
  const types = good.flatMap(([status, { content }]) => {
    if (content) return Object.entries(content);
    if (status !== '204' && status !== '304') {
      throw new Error(`${id} returns ${status} with nothing`);
    }
    return [];
  });
  const [[mediaType, { schema }]] = types;
  if (types.some(([other]) => other !== mediaType)) {
    throw new Error(`${id} returns several media types`);
  }
  if (mediaType === EVENTS) {
    return { function: 'events', type: 'AsyncGenerator<StreamMessage, void>', more: '' };
  }
  if (mediaType === LINES) {
    const item = (schema.oneOf ?? [schema]).map((one) => `Schemas['${nameOf(one)}']`).join(' | ');
    return { function: 'lines', type: `AsyncGenerator<${item}, void>`, more: '' };
  }
  if (!/^application\/(?:[\w.-]+\+)?json$/.test(mediaType)) {
    throw new Error(`${id} returns ${mediaType}`);
  }
  const body = `Schemas['${nameOf(schema)}']`;
  const list = listOf(operation, schemas);
  if (list) {
    const more = `, '${list.entries}'${list.parameter === 'after' ? ", 'after'" : ''}`;
    return { function: 'pages', type: `Pages<${body}, Schemas['${list.item}']>`, more };
  }
  const isConditional = good.some(([status]) => status === '304');
  return {
    function: 'json',
    body,
    isConditional,
    type: `Promise<${body}${isConditional ? ' | undefined' : ''}>`,
    more: '',
  };
}

function documentation(method, path, { summary, description }) {
  const paragraphs = [`${summary}.`, ...description.split('\n\n'), `\`${method} ${path}\``];
  const lines = paragraphs.flatMap((paragraph, index) => [
    ...(index === 0 ? [] : ['   *']),
    ...wrapped(paragraph.replaceAll('*/', '*\\/'), WIDTH, '   * '),
  ]);
  return ['  /**', ...lines, '   */'];
}

/** The name of a header as an option. */
function camelCase(name) {
  return name.toLowerCase().replace(/-(\w)/g, (_all, letter) => letter.toUpperCase());
}
