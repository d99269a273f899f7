import { parse as parseContentType } from 'content-type';
import type { IncomingMessage } from 'node:http';
import {
  BodyIncomplete,
  BodyMissing,
  BodyTooLarge,
  InternalError,
  MediaTypeUnsupported,
} from '../problem/errors.ts';

export const JSON_TYPE = 'application/json';
export const FORM_TYPE = 'application/x-www-form-urlencoded';
const MERGE_PATCH_TYPE = 'application/merge-patch+json';

export type BodyType = typeof JSON_TYPE | typeof FORM_TYPE | typeof MERGE_PATCH_TYPE;

export const PATCH_TYPES: readonly BodyType[] = [MERGE_PATCH_TYPE, JSON_TYPE];

export interface Body {
  bytes: Buffer;
  type: BodyType;
}

/** Bodies that were read before the handler ran. */
const readAhead = new WeakMap<IncomingMessage, Buffer>();

/** Whether the request announces a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * Reads the bytes of a body before anybody else can, and keeps them for the handler.
 * @throws BodyTooLarge, BodyIncomplete
 */
export async function takeBody(request: IncomingMessage, limit: number): Promise<void> {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw new BodyTooLarge(limit);
  readAhead.set(request, await collect(request, limit));
}

/** Reads the body, and keeps its bytes for the handler. @throws the errors of `readBody` */
export async function readBodyAhead(
  request: IncomingMessage,
  limit: number,
  types: readonly BodyType[],
): Promise<Body> {
  const body = await readBody(request, limit, types);
  readAhead.set(request, body.bytes);
  return body;
}

/**
 * Reads the bytes of a request body, by Content-Length or chunked, whatever the method.
 * @param limit largest size in bytes
 * @param types accepted media types
 * @throws BodyMissing, BodyTooLarge, BodyIncomplete, MediaTypeUnsupported
 */
export async function readBody(
  request: IncomingMessage,
  limit: number,
  types: readonly BodyType[],
): Promise<Body> {
  const arrived = readArrivedBody(request, limit, types);
  return arrived ?? toBody(request, await collect(request, limit), limit, types);
}

/**
 * Reads a body that has arrived completely: a small one comes in one segment with its header fields, and needs no
 * stream events. Returns undefined if a part is still to come. @throws the errors of `readBody`
 */
export function readArrivedBody(
  request: IncomingMessage,
  limit: number,
  types: readonly BodyType[],
): Body | undefined {
  const ahead = readAhead.get(request);
  if (ahead) return toBody(request, ahead, limit, types);
  requireLength(request, limit);
  const parsed = readByParser(request);
  if (parsed) return toBody(request, parsed, limit, types);
  if (!hasArrived(request) || request.readableFlowing !== null || request.destroyed) {
    return undefined;
  }
  const bytes = request.read() as Buffer | null;
  request.resume();
  return bytes === null ? undefined : toBody(request, bytes, limit, types);
}

/** Node marks a request as complete only after the handler has run on its last bytes. */
function hasArrived({ complete, headers, readableLength }: IncomingMessage): boolean {
  return complete || readableLength === Number(headers['content-length']);
}

/**
 * Returns the bytes that a parser of the application has read: Nest keeps them with `rawBody: true`.
 * @throws InternalError if it has kept none
 */
function readByParser(request: IncomingMessage & { rawBody?: unknown }): Buffer | undefined {
  if (!request.readableEnded && !request.readableDidRead) return undefined;
  if (Buffer.isBuffer(request.rawBody)) return request.rawBody;
  throw new InternalError(
    new Error(
      'A parser of the application has read the body before @JsonBody. Create the application with rawBody: true, or with bodyParser: false.',
    ),
  );
}

function requireLength({ headers, url }: IncomingMessage, limit: number): void {
  const declared = Number(headers['content-length'] ?? 0);
  if (declared === 0 && headers['transfer-encoding'] === undefined) throw new BodyMissing(url);
  if (declared > limit) throw new BodyTooLarge(limit);
}

function toBody(
  { headers, url }: IncomingMessage,
  bytes: Buffer,
  limit: number,
  types: readonly BodyType[],
): Body {
  if (bytes.length > limit) throw new BodyTooLarge(limit);
  if (bytes.length === 0) throw new BodyMissing(url);
  refuseEncodings(headers['content-encoding'], headers['transfer-encoding']);
  const type = types.find((one) => isMediaType(headers['content-type'], one));
  if (type === undefined) throw unsupported(types);
  return { bytes, type };
}

/** The response to a PATCH names the accepted types (RFC 5789, section 3.1). */
function unsupported(types: readonly BodyType[]): MediaTypeUnsupported {
  const [first, ...others] = types.map((type) => `"${type}"`);
  const known = [`"Content-Type: ${first!.slice(1)}`, ...others].join(' or ');
  const isPatch = types.includes(MERGE_PATCH_TYPE);
  return new MediaTypeUnsupported(
    `Send the header ${known}; the charset is UTF-8.`,
    isPatch ? { headers: { 'Accept-Patch': types.join(', ') } } : {},
  );
}

function collect(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= limit) chunks.push(chunk);
      else reject(new BodyTooLarge(limit));
    });
    request.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    request.on('error', () => reject(new BodyIncomplete()));
    request.on('close', () => {
      if (!request.complete) reject(new BodyIncomplete());
    });
  });
}

export function refuseEncodings(...encodings: (string | undefined)[]): void {
  if (
    !encodings.every(
      (encoding) => encoding === undefined || /^(identity|chunked)?$/i.test(encoding),
    )
  ) {
    throw new MediaTypeUnsupported('Send the body as it is, without compression.');
  }
}

/** Whether the header names `mediaType`, in UTF-8. */
export function isMediaType(header: string | undefined, mediaType: string): boolean {
  if (header === undefined || header === mediaType) return header === mediaType;
  const { type, parameters } = parseContentType(header);
  return type.toLowerCase() === mediaType && /^utf-?8$/i.test(parameters['charset'] ?? 'utf-8');
}
