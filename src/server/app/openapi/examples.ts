interface OperationExample {
  request?: object;
  response: object;
}

const TOKEN = 'ugt_EXAMPLE4example4EXAMPLE4example4000000';
const NEXT_TOKEN = 'ugt_EXAMPLE5example5EXAMPLE5example5000000';
const AT = '2030-01-01T12:00:00.000Z';
const CHANGED_AT = '2030-01-01T12:30:00.000Z';

const content = {
  name: 'Acme EMEA',
  mapping: { sales: 'warehouse-emea' },
  properties: { region: 'EMEA', seats: 25 },
};
const input = { user_group_id: 'acme-emea', ...content };
const withToken = (token: string) => ({
  team_id: 1,
  token,
  name: content.name,
  provided_id: 'acme-emea',
});
const userGroup = {
  team_id: 1,
  provided_id: 'acme-emea',
  ...content,
  valid_until: null,
  status: 'active',
  reasons: [],
  suspended_at: null,
  created_at: AT,
  updated_at: AT,
};
const entry = (id: number, provided_id: string, name: string) => ({
  request: { provided_id, name },
  thing: { id, provided_id, name, created_at: AT, updated_at: AT },
});
const schema = entry(3, 'sales', 'Sales');
const dataSource = entry(7, 'warehouse-emea', 'Warehouse EMEA');

/**
 * Examples of the operations that people start with, by operation id. A test sends each request in this order, and
 * compares the response.
 */
export const operationExamples: Record<string, OperationExample> = {
  createOrLookUpUserGroup: {
    request: input,
    response: {
      success: 1,
      new_user_group: true,
      user_group: { ...withToken(TOKEN), properties: content.properties },
    },
  },
  upsertUserGroup: { request: input, response: { success: 1, user_group: withToken(TOKEN) } },
  rotateUserGroupToken: {
    request: { current_token: TOKEN, grace_period_seconds: 600 },
    response: { success: 1, user_group: withToken(NEXT_TOKEN) },
  },
  introspectToken: {
    request: { token: NEXT_TOKEN },
    response: {
      active: true,
      sub: 'acme-emea',
      team_id: 1,
      ...content,
      token_type: 'user_group_token',
      iat: 1_893_499_200,
    },
  },
  listUserGroups: { response: { success: 1, user_groups: [userGroup], has_more: false } },
  getUserGroup: { response: { success: 1, user_group: userGroup } },
  replaceUserGroup: { request: content, response: { success: 1, user_group: userGroup } },
  updateUserGroup: {
    request: { properties: { seats: 50 } },
    response: {
      success: 1,
      user_group: {
        ...userGroup,
        properties: { region: 'EMEA', seats: 50 },
        updated_at: CHANGED_AT,
      },
    },
  },
  getUserGroupToken: { response: { success: 1, user_group: withToken(NEXT_TOKEN) } },
  rotateUserGroupTokenById: {
    request: { grace_period_seconds: 600 },
    response: { success: 1, user_group: withToken(TOKEN) },
  },
  issueEmbedToken: {
    request: { expires_in_seconds: 600, audience: 'https://dashboards.example.com' },
    response: {
      success: 1,
      embed_token: {
        token: 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhY21lLWVtZWEifQ.c2lnbmF0dXJl',
        token_type: 'embed_token',
        expires_at: CHANGED_AT,
        kid: 'ngLJbPkUPmM7JoSkR-rvHSgzPeyPHLF5LC7qQ2j1G-c',
        jti: '5IVCZbwvj_7gTWRNOMsC1A',
      },
    },
  },
  createApiToken: {
    request: { name: 'renderer', scopes: ['tokens:introspect'] },
    response: {
      success: 1,
      api_token: {
        id: 391514958,
        name: 'renderer',
        last_four: '0000',
        state: 'active',
        scopes: ['tokens:introspect'],
        allowed_cidrs: null,
        created_at: AT,
        expires_at: null,
        last_used_at: null,
        revoked_at: null,
        superseded_by_id: null,
        subject: null,
        token: 'uga_EXAMPLE4example4EXAMPLE4example4000000',
      },
    },
  },
  createSchema: { request: schema.request, response: { success: 1, schema: schema.thing } },
  createDataSource: {
    request: dataSource.request,
    response: { success: 1, data_source: dataSource.thing },
  },
  createWebhookEndpoint: {
    request: { url: 'https://hooks.example.com/user-groups', event_types: ['user_group.*'] },
    response: {
      success: 1,
      webhook_endpoint: {
        id: 783986498,
        url: 'https://hooks.example.com/user-groups',
        description: null,
        event_types: ['user_group.*'],
        signature: 'v1',
        public_key: null,
        old_secret_expires_at: null,
        headers: [],
        enabled: true,
        disabled_at: null,
        disabled_reason: null,
        failing_since: null,
        skipping_since: null,
        created_at: AT,
        updated_at: AT,
        secret: 'whsec_RXhhbXBsZQ==',
      },
    },
  },
  listEvents: {
    response: {
      success: 1,
      events: [
        {
          id: 'evt_5377108433215711',
          type: 'user_group.update',
          occurred_at: AT,
          user_group: { team_id: 1, provided_id: 'acme-emea', version: 2 },
        },
      ],
      next_cursor: 'azE.WzUwXQ',
      has_more: false,
    },
  },
};
