/** How tables and charts call what takes part and what is measured. */
export const NAMES = {
  servers: {
    service: 'this service',
    limit: 'bare server',
    memory: 'bare server, from memory',
    textbook: 'textbook',
    before: 'before',
  },
  operations: {
    'look-up': 'look up',
    create: 'create',
    rotate: 'rotate',
    introspect: 'introspect, 5,000 tokens in turn',
    'introspect-hot': 'introspect, a token for each connection',
    import: 'import, groups',
  },
  /** Of those that are drawn. */
  short: { 'look-up': 'Look up', create: 'Create', rotate: 'Rotate', introspect: 'Introspect' },
};
