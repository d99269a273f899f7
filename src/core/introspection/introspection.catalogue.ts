export const introspectionScopes = ['tokens:introspect'] as const;
