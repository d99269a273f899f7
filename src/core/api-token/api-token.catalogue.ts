export const apiTokenScopes = ['admin'] as const;
