import { parse as parseContentType } from 'content-type';
import type { IncomingMessage } from 'node:http';
import { BodyIncomplete, BodyMissing, BodyTooLarge, MediaTypeUnsupported } from '../errors';

/**
 * The bytes of a JSON request body, by Content-Length or chunked, whatever the method.
 * @param limit largest size in bytes
 * @throws BodyMissing, BodyTooLarge, BodyIncomplete, MediaTypeUnsupported
 */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const { headers } = request;
  const declared = Number(headers['content-length'] ?? 0);
  if (declared === 0 && headers['transfer-encoding'] === undefined) throw new BodyMissing();
  if (declared > limit) throw new BodyTooLarge(limit);
  const body = await collect(request, limit);
  if (body.length === 0) throw new BodyMissing();
  const encodings = [headers['content-encoding'], headers['transfer-encoding']];
  refuseOtherMediaTypes(headers['content-type'], encodings);
  return body;
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
    request.on('end', () => {
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
    });
    request.on('error', () => {
      reject(new BodyIncomplete());
    });
    request.on('close', () => {
      if (!request.complete) reject(new BodyIncomplete());
    });
  });
}

function refuseOtherMediaTypes(type: string | undefined, encodings: (string | undefined)[]): void {
  if (!encodings.every((encoding) => /^(identity|chunked)?$/i.test(encoding ?? ''))) {
    throw new MediaTypeUnsupported('Send the body as it is, without compression.');
  }
  if (type === 'application/json') return;
  if (type === undefined || !isUtf8Json(type)) throw new MediaTypeUnsupported();
}

function isUtf8Json(header: string): boolean {
  const { type, parameters } = parseContentType(header);
  return (
    type.toLowerCase() === 'application/json' && /^utf-?8$/i.test(parameters['charset'] ?? 'utf-8')
  );
}
