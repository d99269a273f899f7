export const bulkActions = {
  changing: [],
  unchanging: ['user_group.export'],
} as const;
