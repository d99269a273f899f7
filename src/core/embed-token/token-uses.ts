/** Counts how groups use their tokens, quickly and without errors. A feature provides it. */
export abstract class TokenUses {
  /** @param userId the viewer whom the token names */
  abstract count(
    use: 'embedTokens' | 'introspections',
    group: { workspaceId: number; userGroupId: number },
    userId?: string,
  ): void;
}
