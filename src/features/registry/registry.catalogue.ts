export const registryScopes = ['registry:read', 'registry:write'] as const;
