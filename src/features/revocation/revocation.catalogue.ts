export const revocationActions = {
  changing: ['workspace.end_tokens'],
  unchanging: [],
} as const;
