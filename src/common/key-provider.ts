/** One key of the ring that encrypts user-group tokens at rest. */
export interface EncryptionKey {
  id: string;
  /** 32 bytes. */
  secret: Buffer;
}

/**
 * Where the keys that encrypt tokens come from: the environment, unless an application has its own place for
 * them. It is asked once, before anything is served; what it gives lives in the memory of the process.
 */
export abstract class KeyProvider {
  /**
   * The keys in their order: the first encrypts, every one decrypts.
   * @throws OperatorError with one line if they cannot be had; the service then does not start
   */
  abstract keys(): Promise<readonly EncryptionKey[]>;
}
