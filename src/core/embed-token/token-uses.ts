/** Counts how groups use their tokens, quickly. A feature provides it. */
export abstract class TokenUses {
  /** Throws an error of the catalogue if the group gets no more embed tokens. */
  abstract admit(userGroupId: number): void;

  /** @param userId the viewer whom the token names */
  abstract count(
    use: 'embedTokens' | 'introspections',
    group: { workspaceId: number; userGroupId: number },
    userId?: string,
  ): void;
}
