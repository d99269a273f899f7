import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const compress = { br: promisify(brotliCompress), gzip: promisify(gzip) };
/** The last half of what brotli can save would take seconds. */
const OPTIONS = { br: { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }, gzip: {} };

export type ContentCoding = keyof typeof compress;

/** A document that is made when it is first asked for, once for each content coding, and then kept. */
export class StoredDocument {
  private plain: Buffer | undefined;
  private readonly coded = new Map<ContentCoding, Promise<Buffer>>();

  constructor(
    readonly mediaType: string,
    private readonly make: () => string | Buffer,
  ) {}

  /** The document, compressed if a coding is named. */
  async bytes(coding: ContentCoding | undefined): Promise<Buffer> {
    this.plain ??= Buffer.from(this.make());
    if (coding === undefined) return this.plain;
    let bytes = this.coded.get(coding);
    if (!bytes) {
      bytes = compress[coding](this.plain, OPTIONS[coding]);
      this.coded.set(coding, bytes);
      bytes.catch(() => this.coded.delete(coding));
    }
    return bytes;
  }
}
