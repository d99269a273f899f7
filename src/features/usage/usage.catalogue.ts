export const usageScopes = ['usage:read'] as const;
