import type { OpenApiParts } from '../../platform/common/extension/openapi-parts.ts';
import { TIME_EXAMPLE } from '../../platform/common/fields.ts';

const TOKEN = 'ugt_EXAMPLE4example4EXAMPLE4example4000000';
/** The token after a rotation. */
export const NEXT_TOKEN = 'ugt_EXAMPLE5example5EXAMPLE5example5000000';
const CHANGED_AT = '2030-01-01T12:30:00.000Z';

/** The parts of a group that its callers write. */
export const exampleContent = {
  name: 'Acme EMEA',
  mapping: { sales: 'warehouse-emea' },
  properties: { region: 'EMEA', seats: 25 },
};
const input = { user_group_id: 'acme-emea', ...exampleContent };
const withToken = (token: string) => ({
  team_id: 1,
  token,
  name: exampleContent.name,
  provided_id: 'acme-emea',
});
const userGroup = {
  team_id: 1,
  provided_id: 'acme-emea',
  ...exampleContent,
  valid_until: null,
  managed_by: null,
  status: 'active',
  reasons: [],
  suspended_at: null,
  created_at: TIME_EXAMPLE,
  updated_at: TIME_EXAMPLE,
};

export const userGroupOpenApi: OpenApiParts = {
  tags: {
    'User groups': 'User groups and their tokens: the contract.',
    'User groups (v1)': 'The same groups as HTTP resources, without their tokens.',
    'User group tokens': 'Their tokens, for operators and for callers who know only the group.',
  },
  examples: {
    createOrLookUpUserGroup: {
      request: input,
      response: {
        success: 1,
        new_user_group: true,
        user_group: { ...withToken(TOKEN), properties: exampleContent.properties },
      },
    },
    upsertUserGroup: { request: input, response: { success: 1, user_group: withToken(TOKEN) } },
    rotateUserGroupToken: {
      request: { current_token: TOKEN, grace_period_seconds: 600 },
      response: { success: 1, user_group: withToken(NEXT_TOKEN) },
    },
    listUserGroups: { response: { success: 1, user_groups: [userGroup], has_more: false } },
    getUserGroup: { response: { success: 1, user_group: userGroup } },
    replaceUserGroup: { request: exampleContent, response: { success: 1, user_group: userGroup } },
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
  },
};
