import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { createHash } from 'node:crypto';
import { ApiHeader } from '../api-docs.ts';
import { documentParameter } from '../document-parameter.ts';
import { PreconditionFailed, PreconditionMalformed } from '../errors.ts';
import { UNTRANSFORMED } from './http-settings.ts';

/** `*` for any existing state, or the entity tags of a list, with their double quotes. */
type States = '*' | string[];

/** One tag or none, and what separates it from the next (RFC 9110, sections 5.6.1 and 8.8.3). */
const LIST_ITEM = /[ \t]*(?:(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")[ \t]*)?(,|$)/y;

/** Computes a strong entity tag, which differs for each state that `representation` can have as JSON. */
export function entityTagOf(representation: object): string {
  const text = JSON.stringify(representation);
  return `"${createHash('sha256').update(text).digest('base64url')}"`;
}

/** Names the state that the response shows, in a way that no compressor makes weak. */
export function setEntityTag(response: Response, entityTag: string): void {
  response.set({ ETag: entityTag, 'Cache-Control': UNTRANSFORMED });
}

/** The conditions of a request on the state of its target (RFC 9110, section 13.1). */
export class Preconditions {
  constructor(
    private readonly ifMatch: States | undefined,
    private readonly ifNoneMatch: States | undefined,
  ) {}

  /**
   * Checks the conditions of a write; to be called under the lock of the write.
   * @param entityTag of the stored state; undefined if there is none
   * @throws PreconditionFailed
   */
  require(entityTag: string | undefined): void {
    this.requireMatch(entityTag);
    if (this.isKnown(entityTag)) throw new PreconditionFailed();
  }

  /** As `require`, for a read, which `If-None-Match` does not fail. */
  requireMatch(entityTag: string | undefined): void {
    if (this.ifMatch === undefined) return;
    const isMatched =
      entityTag !== undefined &&
      // A tag that a compressing proxy has made weak counts: it names a state of the resource, not the bytes of a response.
      (this.ifMatch === '*' || this.ifMatch.includes(entityTag));
    if (!isMatched) throw new PreconditionFailed();
  }

  /** Whether `If-None-Match` names the state, so that a read need not repeat it. */
  isKnown(entityTag: string | undefined): boolean {
    if (this.ifNoneMatch === undefined || entityTag === undefined) return false;
    return this.ifNoneMatch === '*' || this.ifNoneMatch.includes(entityTag);
  }
}

/** Parameter decorator: the `Preconditions` of the request. @throws PreconditionMalformed */
export function RequestPreconditions(): ParameterDecorator {
  const factory = (_data: unknown, context: ExecutionContext): Preconditions => {
    const { headers } = context.switchToHttp().getRequest<Request>();
    return new Preconditions(
      parseStates('If-Match', headers['if-match']),
      parseStates('If-None-Match', headers['if-none-match']),
    );
  };
  const document = documentParameter(
    documentHeader(
      'If-Match',
      'Only if the thing is in one of these states: entity tags, or `*`. A tag that a proxy has made weak (`W/"…"`) counts too.',
    ),
    documentHeader(
      'If-None-Match',
      'Only if it is in none of these states; `*`: if it is not there.',
    ),
  );
  return createParamDecorator(factory, [document])();
}

function documentHeader(name: string, description: string): MethodDecorator {
  return ApiHeader({ name, description, required: false, schema: { type: 'string' } });
}

function parseStates(name: string, header: string | undefined): States | undefined {
  if (header === undefined) return undefined;
  if (header.trim() === '*') return '*';
  const tags = parseTags(header);
  if (tags.length === 0) throw new PreconditionMalformed(name);
  return tags;
}

/** Parses a list of tags; empty if it is none. */
function parseTags(text: string): string[] {
  const tags: string[] = [];
  LIST_ITEM.lastIndex = 0;
  for (;;) {
    const item = LIST_ITEM.exec(text);
    if (!item) return [];
    const [, tag, end] = item;
    if (tag !== undefined) tags.push(tag);
    if (end === '') return tags;
  }
}
