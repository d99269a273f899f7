export const inspectionScopes = ['tokens:inspect'] as const;
