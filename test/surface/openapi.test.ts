/* eslint-disable @typescript-eslint/no-unsafe-return, @typescript-eslint/no-unsafe-call -- any part of a document may be changed to anything */
import { compareOpenApi } from '../../scripts/surface/compare-openapi.mjs';
import { report } from '../../scripts/surface/findings.mjs';
import { withoutWords } from '../../scripts/surface/released.mjs';
import { RELEASED } from './released-document.ts';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- see above
type Changeable = any;

/** The findings of the check for a change of the released document, which is kept without its words. */
function findings(change: (document: Changeable) => void, changelog = ''): string[] {
  const document: Changeable = JSON.parse(JSON.stringify(RELEASED));
  change(document);
  return report(compareOpenApi(withoutWords(RELEASED), document), changelog);
}

const LIST = 'GET /groups';
const PUT = 'PUT /groups';
const list = (document: Changeable) => document.paths['/groups'].get;
const put = (document: Changeable) => document.paths['/groups'].put;
const ping = (document: Changeable) => document.paths['/groups'].post;
const event = (document: Changeable) => document.webhooks.event.post;
const limit = (document: Changeable) => list(document).parameters[0];
const answered = (document: Changeable) => document.components.schemas.Group;
const sent = (document: Changeable) => document.components.schemas.WriteGroup;
const eventBody = (document: Changeable) =>
  event(document).requestBody.content['application/json'].schema;

/** A change, what the changelog has to name, and what is said where it does not. */
type Breaking = [string, (document: Changeable) => void, string, string[]];

const inGroup = (text: string) => [
  `${LIST}: response 200: groups[].${text} (schema Group, and 1 more)`,
];
const inWriteGroup = (text: string) => [`${PUT}: request body: ${text} (schema WriteGroup)`];

const operations: Breaking[] = [
  ['removed path', (d) => delete d.paths['/health'], '/health', ['/health: removed']],
  ['removed method', (d) => delete d.paths['/groups'].put, PUT, [`${PUT}: removed`]],
  [
    'removed response',
    (d) => delete list(d).responses[404],
    LIST,
    [`${LIST}: response 404 removed`],
  ],
  [
    'removed media type of an answer',
    (d) => delete list(d).responses[200].content['application/json'],
    LIST,
    [`${LIST}: response 200: application/json removed`],
  ],
  [
    'removed header of an answer',
    (d) => delete list(d).responses[200].headers.ETag,
    LIST,
    [`${LIST}: response 200: header ETag removed`],
  ],
  [
    'header of an answer that may be missing',
    (d) => delete list(d).responses[200].headers.ETag.required,
    LIST,
    [`${LIST}: response 200: header ETag may be missing now`],
  ],
  [
    'removed parameter',
    (d) => list(d).parameters.pop(),
    LIST,
    [`${LIST}: query parameter limit removed`],
  ],
  [
    'removed parameter of all methods of a path',
    (d) => delete d.paths['/groups'].parameters,
    '/groups',
    [LIST, PUT, 'POST /groups'].map((place) => `${place}: header parameter trace removed`),
  ],
  [
    'new required parameter',
    (d) => list(d).parameters.push({ name: 'day', in: 'query', required: true, schema: {} }),
    LIST,
    [`${LIST}: query parameter day is new and required`],
  ],
  [
    'parameter that is required now',
    (d) => (limit(d).required = true),
    LIST,
    [`${LIST}: query parameter limit is required now`],
  ],
  [
    'lowered maximum of a parameter',
    (d) => (limit(d).schema.maximum = 50),
    LIST,
    [`${LIST}: query parameter limit: maximum was 100, is 50`],
  ],
  [
    'raised minimum of a parameter',
    (d) => (limit(d).schema.minimum = 2),
    LIST,
    [`${LIST}: query parameter limit: minimum was 1, is 2`],
  ],
  [
    'other default of a parameter',
    (d) => (limit(d).schema.default = 10),
    LIST,
    [`${LIST}: query parameter limit: default was 20, is 10`],
  ],
  [
    'new required body',
    (d) => (ping(d).requestBody = { required: true, content: {} }),
    'POST /groups',
    ['POST /groups: request body is new and required'],
  ],
  ['removed body', (d) => delete put(d).requestBody, PUT, [`${PUT}: request body removed`]],
  [
    'removed media type of a request',
    (d) => (put(d).requestBody.content = { 'text/csv': {} }),
    PUT,
    [`${PUT}: request body: application/json removed`],
  ],
  [
    'other name of an operation',
    (d) => (list(d).operationId = 'groups'),
    LIST,
    [`${LIST}: operationId was listGroups, is groups`],
  ],
  [
    'other scope',
    (d) => (list(d)['x-required-scopes'] = ['groups:write']),
    LIST,
    [`${LIST}: scope was groups:read, is groups:write`],
  ],
  [
    'second scope',
    (d) => list(d)['x-required-scopes'].push('tokens:read'),
    LIST,
    [`${LIST}: scope was groups:read, is groups:read and tokens:read`],
  ],
  [
    'other scope with a field',
    (d) => (list(d)['x-required-scope-with'] = {}),
    LIST,
    [`${LIST}: scope with secret was groups:secret, is groups:read`],
  ],
  [
    'removed way to bring a token',
    (d) => list(d).security.pop(),
    LIST,
    [`${LIST}: no longer takes BearerToken`],
  ],
  [
    'token where none was asked for',
    (d) => (ping(d).security = [{ ApiToken: [] }]),
    'POST /groups',
    ['POST /groups: asks for a token now'],
  ],
  [
    'other security scheme',
    (d) => (d.components.securitySchemes.ApiToken.name = 'X-Token'),
    'ApiToken',
    ['security scheme ApiToken: changed'],
  ],
];

const answers: Breaking[] = [
  [
    'removed field of an answer',
    (d) => delete answered(d).properties.token,
    'Group',
    inGroup('token removed'),
  ],
  [
    'field of an answer that may be missing',
    (d) => answered(d).required.pop(),
    'Group',
    inGroup('state may be missing now'),
  ],
  [
    'widened enum of an answer',
    (d) => answered(d).properties.state.enum.push('deleted'),
    'Group',
    inGroup('state "deleted" is a new value'),
  ],
  [
    'value that no answer has any more',
    (d) => answered(d).properties.state.enum.pop(),
    'Group',
    inGroup('state "suspended" is no longer a value'),
  ],
  [
    'enum of an answer that is any text now',
    (d) => delete answered(d).properties.state.enum,
    'Group',
    inGroup('state anything but "active", "suspended" is a new value'),
  ],
  [
    'other type of an answer',
    (d) => (answered(d).properties.id.type = 'string'),
    'Group',
    inGroup('id was integer, is string'),
  ],
  [
    'whole numbers of an answer that may be fractions',
    (d) => (answered(d).properties.id.type = 'number'),
    'Group',
    inGroup('id was integer, is number'),
  ],
  [
    'null in an answer',
    (d) => (answered(d).properties.id.type = ['integer', 'null']),
    'Group',
    inGroup('id may be null now'),
  ],
  [
    'longer text in an answer',
    (d) => (answered(d).properties.token.maxLength = 41),
    'Group',
    inGroup('token maxLength was 40, is 41'),
  ],
  [
    'new alternative of an answer',
    (d) => answered(d).properties.target.oneOf.push({ type: 'boolean' }),
    'Group',
    inGroup('target may be boolean now'),
  ],
];

const inputs: Breaking[] = [
  [
    'new required field',
    (d) => {
      sent(d).required.push('colour');
      sent(d).properties.colour = { type: 'string' };
    },
    'WriteGroup',
    inWriteGroup('colour is new and required'),
  ],
  [
    'field that is required now',
    (d) => sent(d).required.push('kind'),
    'WriteGroup',
    inWriteGroup('kind is required now'),
  ],
  [
    'removed field of a request',
    (d) => delete sent(d).properties.kind,
    'WriteGroup',
    inWriteGroup('kind removed'),
  ],
  [
    'value that is no longer taken',
    (d) => sent(d).properties.kind.enum.pop(),
    'WriteGroup',
    inWriteGroup('kind "b" is no longer taken'),
  ],
  [
    'text of which few values are left',
    (d) => (sent(d).properties.id.enum = ['x']),
    'WriteGroup',
    inWriteGroup('id anything but "x" is no longer taken'),
  ],
  [
    'shorter text',
    (d) => (sent(d).properties.id.maxLength = 99),
    'WriteGroup',
    inWriteGroup('id maxLength was 100, is 99'),
  ],
  [
    'new lower limit',
    (d) => (sent(d).properties.name.minLength = 1),
    'WriteGroup',
    inWriteGroup('name minLength was unlimited, is 1'),
  ],
  [
    'new pattern',
    (d) => (sent(d).properties.id.pattern = '^a'),
    'WriteGroup',
    inWriteGroup('id pattern was unlimited, is "^a"'),
  ],
  [
    'null that is no longer taken',
    (d) => (sent(d).properties.name.type = 'string'),
    'WriteGroup',
    inWriteGroup('name may no longer be null'),
  ],
  [
    'alternative that is no longer taken',
    (d) => sent(d).properties.target.oneOf.pop(),
    'WriteGroup',
    inWriteGroup('target may no longer be integer'),
  ],
  [
    'other type of the items of a list',
    (d) => (sent(d).properties.tags.items.type = 'integer'),
    'WriteGroup',
    inWriteGroup('tags[] was string, is integer'),
  ],
  [
    'other type of the values of a map',
    (d) => (sent(d).properties.labels.additionalProperties.type = 'integer'),
    'WriteGroup',
    inWriteGroup('labels.* was string, is integer'),
  ],
  [
    'fields beyond those named that are refused',
    (d) => (sent(d).additionalProperties = false),
    'WriteGroup',
    inWriteGroup('* may no longer be any value'),
  ],
  [
    'rule of which the check knows no more than its name',
    (d) => (sent(d).properties.id.not = { enum: ['x'] }),
    'WriteGroup',
    inWriteGroup('id not was unlimited, is {"enum":["x"]}'),
  ],
];

const HOOK = 'webhook POST event';
const webhooks: Breaking[] = [
  ['removed webhook', (d) => delete d.webhooks.event, 'event', ['webhook event: removed']],
  [
    'removed header of a webhook',
    (d) => event(d).parameters.pop(),
    HOOK,
    [`${HOOK}: header parameter id removed`],
  ],
  [
    'removed field of a webhook',
    (d) => delete eventBody(d).properties.group,
    HOOK,
    [`${HOOK}: request body: group removed`],
  ],
  [
    'field of a webhook that may be missing',
    (d) => delete eventBody(d).required,
    HOOK,
    [`${HOOK}: request body: type may be missing now`],
  ],
  [
    'answer to a webhook that means nothing any more',
    (d) => delete event(d).responses[410],
    HOOK,
    [`${HOOK}: response 410 removed`],
  ],
];

test.each([...operations, ...answers, ...inputs, ...webhooks])(
  'the check refuses a %s, unless the changelog names it',
  (_name, change, named, lines) => {
    expect(findings(change)).toEqual(lines);
    const entry = (text: string) => `# Changelog\n\n## Unreleased\n\n### Changed\n\n${text}\n`;
    expect(findings(change, entry(`- **BREAKING** \`${named}\` is not as\n  it was.`))).toEqual([]);
    expect(findings(change, entry(`- \`${named}\` is not as it was.`))).toEqual(lines);
    expect(findings(change, entry('- **BREAKING** `GET /other` is gone.'))).toEqual(lines);
    const old = `## Unreleased\n\n## 1.0.0\n\n- **BREAKING** \`${named}\` is not as it was.\n`;
    expect(findings(change, old)).toEqual(lines);
  },
);

test('the check refuses a removed schema, by its name and where it was used', () => {
  const renamed = (document: Changeable) => {
    const { Group, ...others } = document.components.schemas;
    const text = JSON.stringify({ ...others, Team: Group }).replaceAll('/Group"', '/Team"');
    document.components.schemas = JSON.parse(text) as object;
    document.paths = JSON.parse(
      JSON.stringify(document.paths).replaceAll('schemas/Group"', 'schemas/Team"'),
    ) as object;
  };
  expect(findings(renamed)).toEqual(['schema Group: removed']);
});

test('what cannot be compared is an error, and no silence', () => {
  const change = (document: Changeable) =>
    (sent(document).properties.id = {
      allOf: [
        { type: 'string', pattern: '^a' },
        { type: 'string', pattern: '^b' },
      ],
    });
  expect(() => findings(change)).toThrow('pattern cannot be compared');
});

const compatible: [string, (document: Changeable) => void][] = [
  ['nothing', () => undefined],
  ['a new path', (d) => (d.paths['/new'] = d.paths['/health'])],
  ['a new method', (d) => (d.paths['/health'].put = ping(d))],
  ['a new response', (d) => (list(d).responses[409] = {})],
  [
    'a new optional parameter',
    (d) => list(d).parameters.push({ name: 'day', in: 'query', schema: { type: 'string' } }),
  ],
  ['a new optional field of a request', (d) => (sent(d).properties.colour = { type: 'string' })],
  ['a field that is no longer required', (d) => (sent(d).required = [])],
  ['a new optional body', (d) => (ping(d).requestBody = { required: false, content: {} })],
  ['a new field of an answer', (d) => (answered(d).properties.colour = { type: 'string' })],
  ['a field that an answer always has now', (d) => answered(d).required.push('token')],
  ['a new field of a webhook', (d) => (eventBody(d).properties.colour = { type: 'string' })],
  ['a raised maximum', (d) => (limit(d).schema.maximum = 200)],
  ['a limit that is gone', (d) => delete sent(d).properties.id.maxLength],
  ['a new value in a request', (d) => sent(d).properties.kind.enum.push('c')],
  ['null that is taken now', (d) => (sent(d).properties.kind.type = ['string', 'null'])],
  ['a new alternative of a request', (d) => sent(d).properties.target.oneOf.push({ type: 'null' })],
  ['fractions that are taken now', (d) => (limit(d).schema.type = 'number')],
  ['an enum where an answer was any text', (d) => (answered(d).properties.token.enum = ['x'])],
  [
    'a new code of an open list',
    (d) => (answered(d).properties.reason['x-extensible-enum'] = ['asked', 'expired']),
  ],
  ['null that no answer has now', (d) => answered(d).properties.parent.anyOf.pop()],
  ['a new way to bring a token', (d) => put(d).security.push({ BearerToken: [] })],
  ['a token that is no longer asked for', (d) => (list(d).security = [])],
  ['other words', (d) => (answered(d).properties.state.description = 'The state.')],
  ['a new deprecation', (d) => (list(d).deprecated = true)],
  [
    'a response that is described elsewhere',
    (d) => {
      const { responses } = list(d);
      d.components.responses = { NotFound: responses[404] };
      responses[404] = { $ref: '#/components/responses/NotFound' };
    },
  ],
  [
    'a type of two spellings',
    (d) => (sent(d).properties.name = { anyOf: [{ type: 'null' }, { type: 'string' }] }),
  ],
];

test.each(compatible)('the check allows %s', (_name, change) => {
  expect(findings(change)).toEqual([]);
});
