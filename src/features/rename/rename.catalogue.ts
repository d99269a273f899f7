export const renameActions = {
  changing: ['user_group.rename'],
  unchanging: [],
} as const;
