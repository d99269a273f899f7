import type { RequestHandler } from 'express';
import type { StoredDocument } from './stored-document.ts';
import { answerFromMemory } from './unread-answers.ts';

/**
 * Makes a handler that answers with the document, in the best content coding that the client accepts.
 * @param fields of the header, beside those of every answer
 */
export function answerDocument(
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
