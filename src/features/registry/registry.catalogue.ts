export const registryScopes = ['registry:read', 'registry:write'] as const;

export const registryActions = {
  changing: [
    'data_source.create',
    'data_source.delete',
    'data_source.update',
    'schema.create',
    'schema.delete',
    'schema.update',
    'workspace.update',
  ],
  unchanging: [],
} as const;
