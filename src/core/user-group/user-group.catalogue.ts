export const userGroupScopes = [
  'user-groups:read',
  'user-groups:write',
  'user-group-tokens:read',
  'tokens:rotate',
] as const;

export const userGroupActions = {
  changing: [
    'user_group.create',
    'user_group.delete',
    'user_group.resume',
    'user_group.suspend',
    'user_group.update',
    'user_group_token.leaked',
    'user_group_token.revoke',
    'user_group_token.rotate',
  ],
  unchanging: [],
} as const;
