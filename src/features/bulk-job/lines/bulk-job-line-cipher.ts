import { Injectable } from '@nestjs/common';
import { KeyRing } from '../../../core/encryption-key/key-ring.ts';
import {
  type OwnerName,
  seal,
  type SealedText,
  unseal,
} from '../../../core/encryption-key/sealed-text.ts';
import { BulkJobLinesUnreadable } from '../bulk-job.errors.ts';

/** The part of a job that a ciphertext is bound to; it can be decrypted for no other. */
export interface LinesOwner {
  jobId: number;
  part: number;
}

/** Another process may have the key, as while a new one is rolled out. */
export class KeyMissing extends Error {
  constructor(keyId: string) {
    super(`no key "${keyId}" is configured here`);
  }
}

/** A line that waits. */
export interface WaitingLine {
  /** Its number in the body, from 1. */
  line: number;
  /** A JSON object, without a line feed. */
  text: string;
}

/** Encrypts lines of imports at rest, those of one part together. */
@Injectable()
export class BulkJobLineCipher {
  constructor(private readonly keys: KeyRing) {}

  encrypt(lines: readonly WaitingLine[], owner: LinesOwner): SealedText {
    const text = lines.map((one) => `${one.line} ${one.text}`).join('\n');
    return seal(this.keys, text, nameOf(owner));
  }

  /**
   * @throws BulkJobLinesUnreadable if the key was declared lost, or the ciphertext belongs to another part
   * @throws KeyMissing if only this process lacks the key
   */
  decrypt(sealed: SealedText, owner: LinesOwner): WaitingLine[] {
    const { keyId } = sealed;
    if (!this.keys.find(keyId) && !this.keys.isForgotten(keyId)) throw new KeyMissing(keyId);
    try {
      return unseal(this.keys, sealed, nameOf(owner)).split('\n').map(toLine);
    } catch (error) {
      throw new BulkJobLinesUnreadable(error);
    }
  }
}

function nameOf({ jobId, part }: LinesOwner): OwnerName {
  return ['bjl', jobId, part];
}

function toLine(text: string): WaitingLine {
  const end = text.indexOf(' ');
  return { line: Number(text.slice(0, end)), text: text.slice(end + 1) };
}
