export const workspaceActions = {
  changing: ['workspace.create'],
  unchanging: [],
} as const;
