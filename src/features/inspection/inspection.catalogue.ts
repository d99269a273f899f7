export const inspectionScopes = ['tokens:inspect'] as const;

export const inspectionActions = {
  changing: [],
  unchanging: ['token.inspect'],
} as const;
