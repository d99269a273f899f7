import type { RequestHandler } from 'express';
import { respondFromMemory } from '../server/unread-responses.ts';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { handled } from '../../concurrency/handled.ts';

const compress = { br: promisify(brotliCompress), gzip: promisify(gzip) };
/** The last half of the possible savings of brotli would take seconds. */
const OPTIONS = { br: { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }, gzip: {} };

export type ContentCoding = keyof typeof compress;

/** A document that is built on the first request, once for each content coding, and then kept. */
export class StoredDocument {
  private readonly kept = new Map<ContentCoding | undefined, Promise<Buffer>>();

  constructor(
    readonly mediaType: string,
    private readonly make: () => string | Buffer | Promise<string>,
  ) {}

  /** Returns the document, compressed if a coding is named. */
  bytes(coding: ContentCoding | undefined): Promise<Buffer> {
    let bytes = this.kept.get(coding);
    if (!bytes) {
      bytes = handled(this.build(coding));
      this.kept.set(coding, bytes);
      bytes.catch(() => this.kept.delete(coding));
    }
    return bytes;
  }

  private async build(coding: ContentCoding | undefined): Promise<Buffer> {
    if (coding === undefined) return Buffer.from(await this.make());
    return compress[coding](await this.bytes(undefined), OPTIONS[coding]);
  }
}

/**
 * Makes a handler that sends the document, in the best content coding that the client accepts.
 * @param fields further header fields
 */
export function respondDocument(
  document: StoredDocument,
  fields: Readonly<Record<string, string>> = {},
): RequestHandler {
  return async (request, response) => {
    const encoding = (['br', 'gzip'] as const).find((one) => request.acceptsEncodings(one));
    const bytes = await document.bytes(encoding);
    for (const [name, value] of Object.entries(fields)) response.setHeader(name, value);
    response.setHeader('Content-Type', document.mediaType);
    response.setHeader('Vary', 'Accept-Encoding');
    if (encoding !== undefined) response.setHeader('Content-Encoding', encoding);
    respondFromMemory(response, bytes);
  };
}
