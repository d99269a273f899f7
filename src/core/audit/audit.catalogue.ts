export const auditScopes = ['audit:read'] as const;

export const auditLogActions = {
  changing: [],
  unchanging: ['authentication.refuse', 'authorization.refuse', 'user_group_token.show'],
} as const;
