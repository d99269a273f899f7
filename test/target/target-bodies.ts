import { generateKeyPairSync } from 'node:crypto';
import type { TargetView } from '../../src/features/target/definition/target-response.dto.ts';
import type { Answer } from '../support/api/api-client.ts';

export const SECRET = '0123456789abcdef'.repeat(4);
export const OTHER_SECRET = 'fedcba9876543210'.repeat(4);

export const HS256 = { alg: 'HS256', keys: [{ id: 'a', secret: SECRET }] };

export const ADA = { id: 'u-17', name: 'Ada Lovelace', email: 'ada@acme.example' };
export const SALES = { type: 'dashboard', id: '4f2c8a10-0000-4000-8000-000000000001' };

export const DASHBOARD_UUID = '7d3f0a52-1111-4222-8333-444455556666';

export const pemOf = {
  rsa: (bits: number) =>
    generateKeyPairSync('rsa', {
      modulusLength: bits,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    }),
  ec: (namedCurve: string) =>
    generateKeyPairSync('ec', {
      namedCurve,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    }),
};

/** One definition of each kind, which filters by values of the group. */
export const bodies = {
  superset: {
    kind: 'superset',
    audience: 'superset',
    signing: HS256,
    claims: { user: { username: { $: 'user.key' } }, resources: { $: 'resources' } },
    row_filters: [
      {
        dataset: 7,
        column: 'region',
        op: 'in',
        type: 'word',
        allowed: ['EMEA', 'APAC'],
        value: { $: 'variables.regions' },
      },
      { dataset: 7, column: 'team', op: '=', type: 'integer', value: { $: 'team_id' } },
    ],
  },
  'metabase-embed': {
    kind: 'metabase-embed',
    signing: HS256,
    claims: {
      resource: { dashboard: { $: 'resource.dashboard' } },
      params: { region: { $: 'variables.regions' } },
    },
  },
  'metabase-sso': {
    kind: 'metabase-sso',
    signing: HS256,
    max_seconds: 120,
    email_domain: 'groups.example.com',
    claims: {
      first_name: { $: 'user.name', default: 'Somebody' },
      groups: ['Viewers'],
      region: { $: 'variables.region' },
      '@tenant.attributes': { limit: { $: 'variables.limit' } },
    },
  },
  lightdash: {
    kind: 'lightdash',
    signing: HS256,
    claims: {
      content: {
        type: 'dashboard',
        dashboardUuid: { $: 'resource.dashboard' },
        canExportCsv: false,
      },
      userAttributes: { region: { $: 'variables.region' } },
      user: { externalId: { $: 'user.key' }, email: { $: 'user.email', default: 'none@example' } },
    },
  },
  cube: {
    kind: 'cube',
    signing: HS256,
    claims: {
      region: { $: 'variables.region' },
      team: { $: 'team_id' },
      deep: [{ n: { $: 'sub' } }],
    },
  },
  grafana: {
    kind: 'grafana',
    audience: 'https://grafana.example.com',
    claims: { login: { $: 'user.key' }, name: { $: 'user.name', default: 'Somebody' } },
  },
  jwt: {
    kind: 'jwt',
    audience: 'reports',
    signing: HS256,
    claims: { tenant: { $: 'sub' }, source: { $: 'mapping.sales' }, constant: [1, null, true] },
  },
};

/** The properties of a group for which each of them can issue a token. */
export const properties = { region: 'EMEA', regions: ['EMEA', 'APAC'], limit: 5 };

interface TargetBody {
  target: TargetView;
  targets: TargetView[];
}

export function targetBody(answer: Answer): TargetBody {
  return answer.body as unknown as TargetBody;
}
