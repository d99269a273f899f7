export const consoleActions = {
  changing: [],
  unchanging: ['console_session.begin', 'console_session.end'],
} as const;
