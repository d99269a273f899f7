export const usageScopes = ['usage:read'] as const;

export const usageActions = {
  changing: ['user_group.change_limits', 'user_group.quota_near', 'user_group.quota_reached'],
  unchanging: [],
} as const;
