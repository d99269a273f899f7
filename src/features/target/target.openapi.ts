import type { OpenApiParts } from '../../platform/common/extension/openapi-parts.ts';
import { TIME_EXAMPLE } from '../../platform/common/fields.ts';
import {
  TargetNotFound,
  TargetSecretUnreadable,
  TargetValueMissing,
  TargetValueRefused,
} from './target.errors.ts';

const settings = {
  kind: 'superset',
  audience: 'superset',
  max_seconds: 300,
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
  ],
};

export const targetOpenApi: OpenApiParts = {
  problems: {
    issueEmbedToken: [
      TargetNotFound,
      TargetSecretUnreadable,
      TargetValueMissing,
      TargetValueRefused,
    ],
  },
  tags: { Targets: 'The tools of a workspace, and the tokens that they take.' },
  examples: {
    putTarget: {
      request: {
        ...settings,
        signing: {
          alg: 'HS256',
          keys: [{ id: '2030', secret: 'a-secret-of-32-bytes-or-longer-as-the-tool-has-it' }],
        },
      },
      response: {
        success: 1,
        target: {
          name: 'bi',
          ...settings,
          signing: { alg: 'HS256', keys: [{ id: '2030', stored_at: TIME_EXAMPLE }] },
          email_domain: null,
          unfiltered: false,
          created_at: TIME_EXAMPLE,
          updated_at: TIME_EXAMPLE,
        },
      },
    },
  },
};
