export const keyAdministrationActions = {
  changing: [],
  unchanging: ['encryption_key.forget', 'encryption_key.rewrap'],
} as const;
