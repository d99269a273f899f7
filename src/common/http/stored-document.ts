import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { handled } from '../handled.ts';

const compress = { br: promisify(brotliCompress), gzip: promisify(gzip) };
/** The last half of what brotli could save would take seconds. */
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
