export const apiTokenScopes = ['admin'] as const;

export const apiTokenActions = {
  changing: [
    'api_token.issue',
    'api_token.leaked',
    'api_token.revoke',
    'api_token.rotate',
    'api_token.update',
  ],
  unchanging: ['secret.show'],
} as const;
