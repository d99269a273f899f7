import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../platform/common/access/caller.ts';
import {
  type ListPage,
  nextAfter,
  type PageQueryDto,
  positionOf,
} from '../../../platform/common/http/parameters/page.dto.ts';
import { KeyRing } from '../../encryption-key/key-ring.ts';
import { type OwnerName, seal, type SealedText, unseal } from '../../encryption-key/sealed-text.ts';

/** The text of a cursor that belongs to no list. */
const FOREIGN = 'foreign';

/**
 * Encrypts the cursors of restricted callers. A cursor has the name of the last group that a page has examined, which may be
 * outside of the range, and from a cursor that the caller makes up it would learn others.
 */
@Injectable()
export class RangeCursors {
  constructor(private readonly keys: KeyRing) {}

  /** Returns the query with its cursor as the list has made it. @throws ValidationFailed if this caller did not get it */
  opened<Query extends PageQueryDto>(caller: Caller, query: Query): Query {
    const [sealed] = caller.range === null ? [] : (positionOf(query, ['string']) ?? []);
    if (sealed === undefined) return query;
    const [keyId = '', text = ''] = String(sealed).split(/\.(?=[^.]*$)/);
    const ciphertext = Buffer.from(text, 'base64url');
    return { ...query, cursor: this.open({ keyId, ciphertext }, caller) };
  }

  sealed(caller: Caller, page: ListPage): ListPage {
    if (caller.range === null || page.next_cursor === undefined) return page;
    const { keyId, ciphertext } = seal(this.keys, page.next_cursor, ownerOf(caller));
    return nextAfter([`${keyId}.${ciphertext.toString('base64url')}`]);
  }

  private open(sealed: SealedText, caller: Caller): string {
    try {
      return unseal(this.keys, sealed, ownerOf(caller));
    } catch {
      return FOREIGN;
    }
  }
}

function ownerOf({ workspaceId, apiTokenId }: Caller): OwnerName {
  return ['cursor', workspaceId, apiTokenId ?? 0];
}
