export const auditScopes = ['audit:read'] as const;
