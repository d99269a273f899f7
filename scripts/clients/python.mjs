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

// Writes the Python client from the OpenAPI document: `models.py`, a type for each schema, and
// `client.py`, a method for each operation. A keyword that it does not know is an error,
// so that the client never leaves anything out unnoticed.

const WIDTH = 100;
const HEADER = '# Generated from the OpenAPI document by `npm run client`: changes are lost.\n';

/**
 * The defaults of a client written for `requests`. It reads nothing of a response before everything is
 * sent, and the service waits for a client that does not read.
 */
const OWN_DEFAULTS = { importUserGroups: { results: 'failed' } };

const RESERVED = new Set([
  'False',
  'None',
  'True',
  'and',
  'as',
  'assert',
  'async',
  'await',
  'break',
  'class',
  'continue',
  'def',
  'del',
  'elif',
  'else',
  'except',
  'finally',
  'for',
  'from',
  'global',
  'if',
  'import',
  'in',
  'is',
  'lambda',
  'nonlocal',
  'not',
  'or',
  'pass',
  'raise',
  'return',
  'try',
  'while',
  'with',
  'yield',
]);

/** The name of an operation or a header as a Python name. */
function snakeCase(name) {
  const words = name.replaceAll('-', '_').replace(/([a-z0-9])([A-Z])/g, '$1_$2');
  const snake = words.toLowerCase();
  return RESERVED.has(snake) ? `${snake}_` : snake;
}

/** The generated files, by their names. */
export function generatePython(published) {
  const document = withParametersInPlace(withoutGateways(published));
  const { schemas } = document.components;
  return {
    'models.py': writeModels(schemas, alternatives(document)),
    'client.py': writeClient(document, schemas),
    'version.py': `${HEADER}\n__version__ = "${document.info.version}"\n`,
  };
}

// models.py

/** The schemas of which a response has one or another. */
function alternatives({ paths }) {
  const text = JSON.stringify(
    Object.values(paths)
      .flatMap((item) => Object.values(item))
      .flatMap(({ responses }) => Object.values(responses))
      .flatMap(({ content = {} }) => Object.values(content))
      .flatMap(({ schema }) => schema.oneOf ?? schema.anyOf ?? []),
  );
  return new Set([...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name));
}

/** @param finals of these `"field" in line` tells a type checker which one it is */
function writeModels(schemas, finals) {
  const classes = inOrder(schemas).map((name) => writeModel(name, schemas[name], finals.has(name)));
  return [
    HEADER,
    '"""What the service sends and takes, by the names of the OpenAPI document.\n',
    'A field that the service adds later is there too, although no type names it.',
    '"""\n',
    ...importsOf('typing', ['Any', 'Literal', 'NotRequired', 'TypedDict', 'final']),
    '',
    ...classes,
  ]
    .join('\n')
    .concat('\n');
}

/**
 * Each schema behind those that it refers to. Were annotations not evaluated, nobody could tell at
 * run time which fields are required.
 */
function inOrder(schemas) {
  const names = new Set();
  const visit = (name, above) => {
    if (above.includes(name)) throw new Error(`${name} refers to itself`);
    for (const [, other] of JSON.stringify(schemas[name]).matchAll(
      /"#\/components\/schemas\/(\w+)"/g,
    )) {
      visit(other, [...above, name]);
    }
    names.add(name);
  };
  for (const name of Object.keys(schemas)) visit(name, []);
  return [...names];
}

function writeModel(name, schema, isFinal) {
  known(
    schema,
    ['type', 'allOf', 'properties', 'required', 'additionalProperties', 'description', 'example'],
    name,
  );
  // A class takes the fields of those that it extends, and all that it has is an object then.
  const bases = (schema.allOf ?? []).map(nameOf);
  if (schema.type !== 'object' && bases.length === 0) throw new Error(`${name} is not an object`);
  const required = new Set(schema.required);
  if (Object.keys(schema.properties ?? {}).some((field) => RESERVED.has(field))) {
    if (bases.length > 0) {
      throw new Error(`${name} extends another schema and has a field that no class can have`);
    }
    return writeFunctionalModel(name, schema, required);
  }
  const fields = Object.entries(schema.properties ?? {}).flatMap(([field, property]) => {
    if (!/^[a-z_]\w*$/i.test(field)) {
      throw new Error(`${name}.${field} cannot be a field of a Python class`);
    }
    const type = typeOf(property, 'sent or received', `${name}.${field}`);
    const declared = required.has(field) ? type : `NotRequired[${type}]`;
    return [...annotated(`    ${field}: `, declared), ...docstring(textOf(property), '    '), ''];
  });
  const doc = schema.description ? [...docstring(schema.description, '    '), ''] : [];
  const body = [...doc, ...fields];
  if (body.at(-1) === '') body.pop();
  return [
    '',
    ...(isFinal ? ['@final'] : []),
    `class ${name}(${bases.length > 0 ? bases.join(', ') : 'TypedDict'}):`,
    ...(body.length ? body : ['    pass']),
    '',
  ].join('\n');
}

/** A model with a field such as `from`, which only a call can declare; it has no text for each field. */
function writeFunctionalModel(name, schema, required) {
  const fields = Object.entries(schema.properties).map(([field, property]) => {
    const type = typeOf(property, 'sent or received', `${name}.${field}`);
    return `        "${field}": ${required.has(field) ? type : `NotRequired[${type}]`},`;
  });
  return ['', `${name} = TypedDict(`, `    "${name}",`, '    {', ...fields, '    },', ')', ''].join(
    '\n',
  );
}

// client.py

const FOLLOW = `    def follow_events(
        self, *, types: str | Absent = ABSENT, after: str | Absent = ABSENT
    ) -> Iterator[FollowedEvent]:
        """Yields the events of the workspace as they happen, from one stream after the other.

        It goes on by itself after a lost connection and at the end of a stream. Each event comes at
        least once. It raises an \`ApiError\` that no other stream would mend, such as 410 \`events_gone\`.

        Args:
            types: Only events of these types, separated by commas, where \`*\` stands for any characters.
            after: The position to go on from: \`last_event_id\` of an event, or a \`next_cursor\`. Without
                it, from now on.
        """
        return follow(
            lambda position: self.stream_events(types=types, last_event_id=position), after
        )
`;

function writeClient(document, schemas) {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) =>
      describe(method.toUpperCase(), path, operation, schemas),
    ),
  );
  const methods = operations.flatMap((operation) => [
    writeMethod(operation),
    ...writeIterator(operation),
  ]);
  const text = methods.join('\n');
  const uses = (name) => new RegExp(`\\b${name}\\b`).test(text);
  return [
    HEADER,
    '"""A method for each operation of the service."""\n',
    'from __future__ import annotations\n',
    ...importsOf(
      'collections.abc',
      ['Iterable', 'Iterator', 'Mapping', 'Sequence'].filter(
        (name) => name === 'Iterator' || uses(name),
      ),
    ),
    ...importsOf('typing', ['Any', 'Literal', 'cast', 'overload'].filter(uses)),
    '',
    'from .follow import FollowedEvent, follow',
    ...importsOf('.models', Object.keys(schemas).filter(uses).sort()),
    ...importsOf('.pages', ['entries'].filter(uses)),
    ...importsOf('.streams', ['ServerSentEvent', 'Stream'].filter(uses)),
    ...importsOf('.transport', ['ABSENT', 'Absent', 'Timeout', 'Transport', 'segment']),
    '',
    '',
    'class UserGroupClient(Transport):',
    '    """The service, with the rights of one API token.',
    '',
    '    Each method raises `ApiError` if the call does not succeed. An argument that is not given is not',
    '    sent; None is sent as `null`.',
    '    """',
    '',
    text,
    FOLLOW,
  ].join('\n');
}

/** Everything that a method is written from. */
function describe(method, path, operation, schemas) {
  const { operationId: id } = operation;
  known(operation, OPERATION_KEYS, id);
  const parameters = (operation.parameters ?? []).map((parameter) => ({
    ...parameter,
    argument: snakeCase(parameter.name),
    type: typeOf(parameter.schema, 'given', `${id}.${parameter.name}`),
    text: textOf({ ...parameter.schema, description: parameter.description }),
    own: OWN_DEFAULTS[id]?.[parameter.name],
  }));
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) =>
    parameters.find((parameter) => parameter.in === 'path' && parameter.name === name),
  );
  const elsewhere = parameters.find(
    (parameter) => !['path', 'query', 'header'].includes(parameter.in),
  );
  if (elsewhere) throw new Error(`${id} has a parameter in a ${elsewhere.in}`);
  const body = bodyOf(operation, schemas);
  const fields = body && body.mediaType !== 'application/x-ndjson' ? body.fields : [];
  const named = [...parameters.filter((parameter) => parameter.in !== 'path'), ...fields];
  // The required ones come first, otherwise in the order of the document.
  named.sort((one, other) => Number(other.required ?? false) - Number(one.required ?? false));
  const all = [...inPath, ...named].map(({ argument }) => argument);
  if (new Set([...all, 'self', 'timeout', 'lines']).size !== all.length + 3) {
    throw new Error(`${id} has two arguments of one name`);
  }
  return {
    id,
    method,
    path,
    operation,
    inPath,
    named,
    body,
    fields,
    list: listOf(operation, schemas),
    response: responseOf(operation),
  };
}

function bodyOf({ operationId: id, requestBody }, schemas) {
  if (!requestBody) return undefined;
  const [[mediaType, { schema }]] = Object.entries(requestBody.content);
  const name = nameOf(schema);
  if (
    !['application/json', 'application/merge-patch+json', 'application/x-ndjson'].includes(
      mediaType,
    )
  ) {
    throw new Error(`${id} takes ${mediaType}`);
  }
  const { allOf, properties = {}, required = [] } = schemas[name];
  if (allOf) throw new Error(`${id} takes a body that extends another schema`);
  const fields = Object.entries(properties).map(([field, property]) => ({
    name: field,
    in: 'body',
    argument: snakeCase(field),
    required: required.includes(field),
    type: typeOf(property, 'given', `${id}.${field}`),
    text: textOf(property),
  }));
  return { mediaType, name, fields };
}

/** Returns the type that a method returns, and the way to read it. */
function responseOf({ operationId: id, responses }) {
  const good = Object.entries(responses).filter(([status]) => Number(status) < 400);
  const types = new Set();
  let kind = '_json';
  for (const [status, { content }] of good) {
    if (!content) {
      if (!['204', '304'].includes(status)) throw new Error(`${id} returns ${status} with nothing`);
      types.add('None');
      continue;
    }
    const [[mediaType, { schema }], ...others] = Object.entries(content);
    if (others.length > 0) throw new Error(`${id} returns several media types`);
    if (mediaType === 'text/event-stream') {
      kind = '_events';
      types.add('Stream[ServerSentEvent]');
    } else if (mediaType === 'application/x-ndjson') {
      kind = '_lines';
      types.add(`Stream[${typeOf(schema, 'sent or received', id)}]`);
    } else if (/^application\/(?:[\w.-]+\+)?json$/.test(mediaType)) {
      types.add(nameOf(schema));
    } else {
      throw new Error(`${id} returns ${mediaType}`);
    }
  }
  return { kind, type: [...types].join(' | ') };
}

function writeMethod({ id, method, path, operation, inPath, named, body, fields, response }) {
  const hasLines = body?.mediaType === 'application/x-ndjson';
  const signature = (parameters) => [
    '        self,',
    ...inPath.map(({ argument, type }) => `        ${argument}: ${type},`),
    ...(hasLines ? [`        lines: Iterable[${body.name}],`] : []),
    '        *,',
    ...parameters,
    '        timeout: Timeout | None = None,',
  ];
  const where = (place) => named.filter((parameter) => parameter.in === place);
  const template = path.replace(
    /\{(\w+)\}/g,
    (_all, name) => `{segment(${inPath.find((parameter) => parameter.name === name).argument})}`,
  );
  const call = [
    `"${method}",`,
    `${template === path ? '' : 'f'}"${template}",`,
    ...(response.kind === '_json' && isPublic(operation) ? ['public=True,'] : []),
    ...dictionary('query', where('query')),
    ...dictionary('headers', where('header')),
    ...(body && !hasLines ? dictionary('body', fields, true) : []),
    ...(hasLines ? ['lines=lines,'] : []),
    ...(body && body.mediaType !== 'application/json' ? [`media_type="${body.mediaType}",`] : []),
    ...(response.kind === '_lines' && body?.mediaType === 'application/json'
      ? ['media_type="application/json",']
      : []),
    ...(method === 'POST' && isSafePost(id) ? ['safe=True,'] : []),
    ...(makesKey(operation) ? ['takes_key=True,'] : []),
    'timeout=timeout,',
  ];
  const isCast = response.kind === '_json';
  const indent = isCast ? '                ' : '            ';
  const calling = [
    ...(isCast
      ? ['        return cast(', `            ${response.type},`, `            self._json(`]
      : [`        return self.${response.kind}(`]),
    ...call.map((line) => indent + line),
    ...(isCast ? ['            ),', '        )'] : ['        )']),
  ];
  return [
    ...overloads({ id, named, response }, signature),
    `    def ${snakeCase(id)}(`,
    ...signature(named.flatMap(declared)),
    ...resultLine(response.type),
    ...documentation({ method, path, operation, inPath, named, hasLines }),
    ...calling,
    '',
  ].join('\n');
}

/** Without a condition a read always has a body. */
function overloads({ id, named, response }, signature) {
  if (!response.type.endsWith(' | None')) return [];
  const variants = [
    { condition: 'Absent = ABSENT', type: response.type.replace(' | None', '') },
    { condition: 'str | Absent', type: response.type },
  ];
  return variants.flatMap(({ condition, type }) => [
    '    @overload',
    `    def ${snakeCase(id)}(`,
    ...signature(
      named.flatMap((parameter) =>
        parameter.argument === 'if_none_match'
          ? [`        if_none_match: ${condition},`]
          : declared(parameter),
      ),
    ),
    `    ) -> ${type}: ...`,
    '',
  ]);
}

/** A method that yields the entries of all pages of a list. */
function writeIterator({ id, inPath, named, list }) {
  if (!list) return [];
  const one = snakeCase(id);
  const isFeed = list.parameter === 'after';
  const parameters = named.filter(({ argument }) => isFeed || argument !== list.parameter);
  const given = [
    ...inPath.map(({ argument }) => argument),
    ...named.map(
      ({ argument }) => `${argument}=${argument === list.parameter ? 'position' : argument}`,
    ),
    'timeout=timeout',
  ];
  return [
    [
      `    def iter_${one.replace(/^list_/, '')}(`,
      '        self,',
      ...inPath.map(({ argument, type }) => `        ${argument}: ${type},`),
      '        *,',
      ...parameters.flatMap(declared),
      '        timeout: Timeout | None = None,',
      `    ) -> Iterator[${list.item}]:`,
      `        """Yields the entries of \`${one}\`: all pages, each requested when it is needed.`,
      ...(isFeed
        ? [
            '',
            '        It ends with the last event; with `wait` it waits for more, without an end.',
          ]
        : []),
      '        """',
      '        return entries(',
      `            lambda position: self.${one}(`,
      ...given.map((argument) => `                ${argument},`),
      '            ),',
      `            "${list.entries}",`,
      ...(isFeed
        ? ['            after,', '            is_endless=isinstance(wait, int) and wait > 0,']
        : []),
      '        )',
      '',
    ].join('\n'),
  ];
}

function resultLine(type) {
  const line = `    ) -> ${type}:`;
  return line.length <= WIDTH ? [line] : ['    ) -> (', ...split(type, '        '), '    ):'];
}

function declared({ argument, type, required, own }) {
  if (required) return annotated(`        ${argument}: `, type, ',');
  const value = own === undefined ? 'ABSENT' : JSON.stringify(own);
  return annotated(`        ${argument}: `, `${type} | Absent`, ` = ${value},`);
}

function dictionary(name, parameters, isAlways = false) {
  if (parameters.length === 0) return isAlways ? [`${name}={},`] : [];
  const entries = parameters.map(({ name: key, argument }) => `"${key}": ${argument}`);
  const line = `${name}={${entries.join(', ')}},`;
  if (line.length + 16 <= WIDTH) return [line];
  return [`${name}={`, ...entries.map((entry) => `    ${entry},`), '},'];
}

function documentation({ method, path, operation, inPath, named, hasLines }) {
  const paragraphs = [...operation.description.split('\n\n'), `${method} ${path}`];
  const described = [
    ...inPath,
    ...(hasLines
      ? [{ argument: 'lines', text: 'One object for each line; sent as they come.' }]
      : []),
    ...named,
  ].filter(({ text }) => text);
  const args = described.flatMap(({ argument, text, own }) => {
    const told = own === undefined ? text : `${text} Here \`${own}\`, unless another is given.`;
    return wrapped(`${argument}: ${told}`, WIDTH, ' '.repeat(12), ' '.repeat(16));
  });
  const indent = ' '.repeat(8);
  return [
    `${indent}"""${escaped(operation.summary)}.`,
    ...paragraphs.flatMap((paragraph) => ['', ...wrapped(paragraph, WIDTH, indent)]).map(escaped),
    ...(args.length > 0 ? ['', `${indent}Args:`, ...args.map(escaped)] : []),
    `${indent}"""`,
  ];
}

// Types

const SCALARS = { string: 'str', integer: 'int', number: 'float', boolean: 'bool', null: 'None' };
const UNDERSTOOD = [
  'type',
  'enum',
  'format',
  'items',
  '$ref',
  'allOf',
  'oneOf',
  'anyOf',
  'properties',
  'additionalProperties',
  'required',
  'description',
  'example',
  'examples',
  'default',
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'uniqueItems',
  'pattern',
  'minimum',
  'maximum',
  'minProperties',
  'maxProperties',
  'deprecated',
  'x-extensible-enum',
];

/**
 * The type of a schema.
 * @param use `given`, of an argument, which takes whatever can be read; or `sent or received`
 */
function typeOf(schema, use, place) {
  known(schema, UNDERSTOOD, place);
  if (Object.keys(schema).length === 0) return 'Any';
  if (schema.$ref) return nameOf(schema);
  const parts =
    schema.oneOf ?? schema.anyOf ?? (schema.allOf?.length === 1 ? schema.allOf : undefined);
  if (parts) return union(parts.map((part) => typeOf(part, use, place)));
  if (schema.allOf) throw new Error(`${place} is all of several schemas`);
  if (schema.enum) {
    const literals = schema.enum
      .filter((value) => value !== null)
      .map((value) => literal(value, place));
    const names = literals.length > 0 ? [`Literal[${literals.join(', ')}]`] : [];
    return union([...names, ...(schema.enum.includes(null) ? ['None'] : [])]);
  }
  const types = [schema.type].flat();
  return union(types.map((type) => typeNamed(type, schema, use, place)));
}

function typeNamed(type, schema, use, place) {
  if (type === 'array') {
    const items = typeOf(schema.items, use, place);
    return `${use === 'given' ? 'Sequence' : 'list'}[${items}]`;
  }
  if (type === 'object') {
    if (schema.properties) throw new Error(`${place} is an object without a name`);
    const { additionalProperties: values } = schema;
    const value = typeof values === 'object' ? typeOf(values, use, place) : 'Any';
    return `${use === 'given' ? 'Mapping' : 'dict'}[str, ${value}]`;
  }
  if (!SCALARS[type]) throw new Error(`${place} has no type that is known`);
  return SCALARS[type];
}

function union(types) {
  return [...new Set(types)].join(' | ');
}

function literal(value, place) {
  if (typeof value === 'string' || Number.isInteger(value)) return JSON.stringify(value);
  throw new Error(`${place} has a value that cannot be a Literal`);
}

// Text

/** Returns the description of a value. The client encodes arguments itself. */
function textOf({ description = '', default: value }) {
  const text = description.replace(/, percent-encoded\b/, '');
  const told = value === undefined ? '' : `Default: \`${JSON.stringify(value)}\`.`;
  return [text, told].filter((part) => part).join(' ');
}

function docstring(text, indent) {
  if (!text) return [];
  const safe = escaped(text).replace(/"$/, '\\"');
  const line = `${indent}"""${safe}"""`;
  if (line.length <= WIDTH && !text.includes('\n')) return [line];
  const [first, ...rest] = wrapped(safe, WIDTH, indent, indent, 3);
  return [`${indent}"""${first.trimStart()}`, ...rest, `${indent}"""`];
}

function escaped(text) {
  return text.replaceAll('\\', '\\\\').replaceAll('"""', '\\"\\"\\"');
}

/** An annotation on one line or, where it is too long, on several. */
function annotated(before, type, after = '') {
  const line = before + type + after;
  if (line.length <= WIDTH) return [line];
  const indent = /^ */.exec(before)[0];
  const [, outer, inner] = /^(\w+)\[(.*)\]$/.exec(type) ?? [];
  if (outer === 'NotRequired' || outer === 'Literal') {
    return [`${before}${outer}[`, ...split(inner, `${indent}    `), `${indent}]${after}`];
  }
  const lines = split(type, indent);
  if (parts(type, ' | ').length === 1) {
    return [before + lines[0].trimStart(), ...lines.slice(1, -1), lines.at(-1) + after];
  }
  return [`${before}(`, ...split(type, `${indent}    `), `${indent})${after}`];
}

/** The parts of a type, each on lines of its own. */
function split(type, indent) {
  if ((indent + type).length <= WIDTH) return [indent + type];
  const members = parts(type, ' | ');
  if (members.length > 1) {
    return members.flatMap((member, index) => {
      const [first, ...rest] = split(member, indent);
      return [index === 0 ? first : `${indent}| ${first.trimStart()}`, ...rest];
    });
  }
  const [, outer, inner] = /^(\w+)\[(.*)\]$/.exec(type) ?? [];
  if (outer) return [`${indent}${outer}[`, ...split(inner, `${indent}    `), `${indent}]`];
  return parts(type, ', ').map((part) => `${indent}${part},`);
}

/** Splits where no bracket is open. */
function parts(text, separator) {
  const found = [''];
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '[') depth++;
    if (text[at] === ']') depth--;
    if (depth === 0 && text.startsWith(separator, at)) {
      found.push('');
      at += separator.length - 1;
    } else {
      found[found.length - 1] += text[at];
    }
  }
  return found;
}

function importsOf(module, names) {
  if (names.length === 0) return [];
  const line = `from ${module} import ${names.join(', ')}`;
  if (line.length <= WIDTH) return [line];
  return [`from ${module} import (`, ...names.map((name) => `    ${name},`), ')'];
}
