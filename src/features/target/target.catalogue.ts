export const targetScopes = ['targets:read', 'targets:write'] as const;

export const targetActions = {
  changing: ['target.create', 'target.delete', 'target.issue', 'target.update'],
  unchanging: [],
} as const;
