export const userGroupScopes = ['user-groups:read', 'user-groups:write', 'tokens:rotate'] as const;
