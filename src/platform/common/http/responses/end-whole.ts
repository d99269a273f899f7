import { ServerResponse } from 'node:http';

type Chunk = [
  data: string,
  encoding: BufferEncoding,
  callback?: (() => void) | null,
  length?: number,
];

const { _send: send } = ServerResponse.prototype as unknown as {
  _send: (...chunk: Chunk) => boolean;
};

let ending: ServerResponse | undefined;
let held: Chunk | undefined;

/**
 * Ends a response that has its whole text. Node sends the text and then an empty chunk, for its callback; two chunks go
 * to the socket by a call that costs twice as much as that for one.
 */
export function endWhole(response: ServerResponse, text: string): void {
  ending = response;
  held = undefined;
  response.end(text);
  ending = undefined;
}

/** Replaces `_send` of a response, so that `endWhole` sends the text with the callback of the empty chunk. */
export function sendWhole(this: ServerResponse, ...chunk: Chunk): boolean {
  const [data, , callback] = chunk;
  if (this === ending && data !== '' && !callback && !held) {
    held = chunk;
    return true;
  }
  if (this !== ending || !held) return send.apply(this, chunk);
  const [text, encoding, , length] = held;
  held = undefined;
  return send.call(this, text, encoding, callback, length);
}
