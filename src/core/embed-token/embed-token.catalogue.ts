export const embedTokenScopes = ['embed-tokens:issue', 'user-groups:view-as'] as const;

export const embedTokenActions = {
  changing: ['embed_token.leaked', 'embed_token.revoke', 'user_group.view_as'],
  unchanging: [],
} as const;
