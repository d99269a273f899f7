export const webhookScopes = ['webhooks:read', 'webhooks:write'] as const;

export const webhookActions = {
  changing: [
    'api_token.expiring',
    'user_group.expiring',
    'user_group.mapping_unresolvable',
    'user_group_token.overlap_ending',
    'webhook_endpoint.create',
    'webhook_endpoint.delete',
    'webhook_endpoint.disable',
    'webhook_endpoint.overflow',
    'webhook_endpoint.roll_secret',
    'webhook_endpoint.update',
    'webhook_endpoint.warn',
  ],
  unchanging: ['webhook_endpoint.replay', 'webhook_endpoint.test'],
} as const;
