import type { Response } from 'express';
import { ApiResponse } from '../../api-docs.ts';
import type { ErrorClass } from '../../problem/problem.ts';
import { PreconditionFailed, PreconditionMalformed } from '../../problem/errors.ts';
import { optionalHeader, requestParam } from './request-params.ts';
import { sha256 } from '../../secret/secrets.ts';
import { UNTRANSFORMED } from '../server/http-settings.ts';

/** `*` for any existing state, or the entity tags of a list, with their double quotes. */
type States = '*' | string[];

/** One tag or none, and its separator from the next (RFC 9110, sections 5.6.1 and 8.8.3). */
const LIST_ITEM = /[ \t]*(?:(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")[ \t]*)?(,|$)/y;

/** Describes the header field of responses with a resource. */
export const ETAG = {
  ETag: 'Names this state of the resource. Send it in `If-Match` with a write.',
};

/** Describes the response to a read whose `If-None-Match` names the present state. */
export const NotModified = (): MethodDecorator =>
  ApiResponse({ status: 304, description: 'If-None-Match lists the present entity tag.' });

/** Returns a hash of 22 characters. */
export function shortHash(value: object): string {
  return sha256(JSON.stringify(value)).toString('base64url').slice(0, 22);
}

/** Returns a strong entity tag for a resource without a version of its own. @param view the resource as responses show it */
export function entityTagOf(view: object): string {
  return `"${shortHash(view)}"`;
}

/** Names the state in the response, and keeps compressors from making the tag weak. */
export function setEntityTag(response: Response, entityTag: string): void {
  response.set({ ETag: entityTag, 'Cache-Control': UNTRANSFORMED });
}

/** Errors of each operation with conditions. */
export const PRECONDITION_ERRORS: ErrorClass[] = [PreconditionFailed, PreconditionMalformed];

/** The conditions of a request on the state of its target (RFC 9110, section 13.1). */
export class Preconditions {
  /** @internal */
  constructor(
    private readonly ifMatch: States | undefined,
    private readonly ifNoneMatch: States | undefined,
  ) {}

  /**
   * Checks the conditions of a write on the state that it replaces: under a lock, or if only that state can be replaced.
   * @param entityTag of the stored state; undefined if there is none
   * @throws PreconditionFailed
   */
  require(entityTag: string | undefined): void {
    this.requireMatch(entityTag);
    if (this.isKnown(entityTag)) throw new PreconditionFailed();
  }

  /** Checks as `require` does, for tags that have a version, and after a colon more that no write depends on. */
  requireVersion(version: string | undefined): void {
    const versionsOf = (states: States | undefined) =>
      Array.isArray(states) ? states.map((tag) => tag.replace(/:.*/, '"')) : states;
    new Preconditions(versionsOf(this.ifMatch), versionsOf(this.ifNoneMatch)).require(version);
  }

  /**
   * Responds to a read with the resource, or with 304 if `If-None-Match` names its state.
   * @throws PreconditionFailed
   */
  respond<Body>(response: Response, entityTag: string, body: Body): Body | undefined {
    this.requireMatch(entityTag);
    setEntityTag(response, entityTag);
    if (!this.isKnown(entityTag)) return body;
    response.status(304);
    return undefined;
  }

  private requireMatch(entityTag: string | undefined): void {
    if (this.ifMatch !== undefined && !isNamed(entityTag, this.ifMatch)) {
      throw new PreconditionFailed();
    }
  }

  private isKnown(entityTag: string | undefined): boolean {
    return this.ifNoneMatch !== undefined && isNamed(entityTag, this.ifNoneMatch);
  }
}

/** Compares tags weakly, also for `If-Match`: they name a state of the resource, and a proxy that compresses makes them weak. */
function isNamed(entityTag: string | undefined, states: States): boolean {
  return (
    entityTag !== undefined && (states === '*' || states.includes(entityTag.replace('W/', '')))
  );
}

/** Parameter decorator: the `Preconditions` of the request. @throws PreconditionMalformed */
export function RequestPreconditions(): ParameterDecorator {
  return requestParam(
    ({ headers }) =>
      new Preconditions(
        parseStates('If-Match', headers['if-match']),
        parseStates('If-None-Match', headers['if-none-match']),
      ),
    optionalHeader(
      'If-Match',
      'Performs the request only if the resource is in one of these states: entity tags, or `*`. A tag that a proxy has made weak (`W/"…"`) counts too.',
    ),
    optionalHeader(
      'If-None-Match',
      'Performs the request only if the resource is in none of these states; `*`: only if it does not exist.',
    ),
  );
}

function parseStates(name: string, header: string | undefined): States | undefined {
  if (header === undefined) return undefined;
  if (header.trim() === '*') return '*';
  const tags = parseTags(header);
  if (tags.length === 0) {
    throw new PreconditionMalformed(
      `${name} must be \`*\` or entity tags in double quotes, as in ETag.`,
    );
  }
  return tags;
}

/** Returns an empty list if the text is not a list of tags. */
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
