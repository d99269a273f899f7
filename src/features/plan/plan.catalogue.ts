export const planActions = {
  changing: [],
  unchanging: ['user_group_plan.apply', 'user_group_plan.create'],
} as const;
