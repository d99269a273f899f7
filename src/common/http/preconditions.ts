import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { Request } from 'express';
import { createHash } from 'node:crypto';
import { documentParameter } from '../document-parameter';
import { PreconditionFailed, PreconditionMalformed } from '../errors';

interface EntityTag {
  isWeak: boolean;
  /** With its double quotes. */
  tag: string;
}

/** `*`, which is any state there is, or those of the list. */
type States = '*' | EntityTag[];

/** One tag or none, and what separates it from the next (RFC 9110, sections 5.6.1 and 8.8.3). */
const LIST_ITEM = /[ \t]*(?:(W\/)?("[\x21\x23-\x7e\x80-\xff]*")[ \t]*)?(,|$)/y;

/** A strong entity tag: another for each state that `representation` can have as JSON. */
export function entityTagOf(representation: object): string {
  const text = JSON.stringify(representation);
  return `"${createHash('sha256').update(text).digest('base64url')}"`;
}

/** What a request asks of the state of the thing that it is about (RFC 9110, section 13.1). */
export class Preconditions {
  constructor(
    private readonly ifMatch: States | undefined,
    private readonly ifNoneMatch: States | undefined,
  ) {}

  /**
   * For a write, to be asked under the lock under which it writes.
   * @param entityTag of the state there is; undefined where there is nothing
   * @throws PreconditionFailed
   */
  require(entityTag: string | undefined): void {
    this.requireMatch(entityTag);
    if (this.isKnown(entityTag)) throw new PreconditionFailed();
  }

  /** As `require`, for a read, where `isKnown` is no reason to refuse. */
  requireMatch(entityTag: string | undefined): void {
    if (this.ifMatch === undefined) return;
    const isMatched =
      entityTag !== undefined &&
      (this.ifMatch === '*' ||
        this.ifMatch.some(({ isWeak, tag }) => !isWeak && tag === entityTag));
    if (!isMatched) throw new PreconditionFailed();
  }

  /** Whether `If-None-Match` names the state: then a read need not tell it again. */
  isKnown(entityTag: string | undefined): boolean {
    if (this.ifNoneMatch === undefined || entityTag === undefined) return false;
    return this.ifNoneMatch === '*' || this.ifNoneMatch.some(({ tag }) => tag === entityTag);
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
    documentHeader('If-Match', 'Only if the thing is in one of these states: entity tags, or `*`.'),
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

/** None for what is no list of tags. */
function parseTags(text: string): EntityTag[] {
  const tags: EntityTag[] = [];
  LIST_ITEM.lastIndex = 0;
  for (;;) {
    const item = LIST_ITEM.exec(text);
    if (!item) return [];
    const [, weak, tag, end] = item;
    if (tag !== undefined) tags.push({ isWeak: weak !== undefined, tag });
    if (end === '') return tags;
  }
}
