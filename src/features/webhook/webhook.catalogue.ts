export const webhookScopes = ['webhooks:read', 'webhooks:write'] as const;
