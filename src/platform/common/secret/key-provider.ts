/** One key of the ring that encrypts user-group tokens at rest. */
export interface EncryptionKey {
  id: string;
  /** 32 bytes. */
  secret: Buffer;
}

/**
 * Source of the keys that encrypt tokens: the environment, unless an application has its own. Called once, before
 * anything is served; the keys stay in the memory of the process.
 */
export abstract class KeyProvider {
  /**
   * Returns the keys in order: the first encrypts, every one decrypts.
   * @throws OperatorError with one line if they are unavailable; the service then does not start
   */
  abstract keys(): Promise<readonly EncryptionKey[]>;
}
