import type { RequestHandler } from 'express';
import { answerFromMemory } from '../server/unread-responses.ts';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { handled } from '../../concurrency/handled.ts';

const compress = { br: promisify(brotliCompress), gzip: promisify(gzip) };
/** The last half of the possible savings of brotli would take seconds. */
const OPTIONS = { br: { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }, gzip: {} };

export type ContentCoding = keyof typeof compress;

/** A document that is built on the first request, once for each content coding, and then kept. */
export class StoredDocument {
  private plain: Promise<Buffer> | undefined;
  private readonly coded = new Map<ContentCoding, Promise<Buffer>>();

  constructor(
    readonly mediaType: string,
    private readonly make: () => string | Buffer | Promise<string>,
  ) {}

  /** Returns the document, compressed if a coding is named. */
  async bytes(coding: ContentCoding | undefined): Promise<Buffer> {
    if (coding === undefined) return this.plainBytes();
    let bytes = this.coded.get(coding);
    if (!bytes) {
      bytes = handled(this.plainBytes().then((plain) => compress[coding](plain, OPTIONS[coding])));
      this.coded.set(coding, bytes);
      bytes.catch(() => this.coded.delete(coding));
    }
    return bytes;
  }

  private plainBytes(): Promise<Buffer> {
    if (!this.plain) {
      this.plain = handled(Promise.resolve().then(async () => Buffer.from(await this.make())));
      this.plain.catch(() => (this.plain = undefined));
    }
    return this.plain;
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
    answerFromMemory(response, bytes);
  };
}
