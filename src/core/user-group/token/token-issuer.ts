import { Injectable } from '@nestjs/common';
import { toBytesText } from '../../../platform/database/dialect.ts';
import { hashToken } from '../../../platform/common/secret/secrets.ts';
import { UserGroupTokenCipher } from '../../encryption-key/user-group-token-cipher.ts';
import { UserGroupTokenFormat } from './user-group-token-format.ts';

/** A token to be stored. */
export interface IssuedToken {
  token: string;
  /** Its members as a statement reads them. */
  record: { tokenHash: string; lastFour: string; ciphertext: string; keyId: string };
}

@Injectable()
export class TokenIssuer {
  /** Tokens that this process has replaced. */
  rotations = 0;

  constructor(
    private readonly cipher: UserGroupTokenCipher,
    private readonly format: UserGroupTokenFormat,
  ) {}

  /** @param given a token issued elsewhere; a new one is generated without it */
  issue(workspaceId: number, given?: string): IssuedToken {
    const token = given ?? this.format.generate();
    const tokenHash = hashToken(token);
    const { ciphertext, keyId } = this.cipher.encrypt(token, { workspaceId, tokenHash });
    const lastFour = token.slice(-4);
    return {
      token,
      record: {
        tokenHash: toBytesText(tokenHash),
        lastFour,
        ciphertext: toBytesText(ciphertext),
        keyId,
      },
    };
  }
}
