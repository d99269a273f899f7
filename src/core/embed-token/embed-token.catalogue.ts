export const embedTokenScopes = ['embed-tokens:issue', 'user-groups:view-as'] as const;
