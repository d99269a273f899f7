export const eventScopes = ['events:read'] as const;
