import { Buffer } from 'node:buffer';
import { Agent, request } from 'node:http';
import { API_TOKEN } from './server.mjs';

const ANSWER_LIMIT_MS = 30_000;

/** Calls one server over connections that are kept. */
export class Api {
  agent = new Agent({ keepAlive: true });

  constructor(url) {
    this.url = url;
  }

  /** Resolves with an answer that has arrived as a whole; anything less rejects. */
  send(method, body) {
    const payload = Buffer.from(JSON.stringify(body));
    return new Promise((resolve, reject) => {
      const outgoing = request(this.url, {
        method,
        agent: this.agent,
        timeout: ANSWER_LIMIT_MS,
        headers: {
          Authorization: `Token ${API_TOKEN}`,
          'Content-Type': 'application/json',
          'Content-Length': payload.length,
        },
      });
      outgoing.on('timeout', () => outgoing.destroy(new Error('no answer in time')));
      outgoing.on('error', reject);
      outgoing.on('response', (response) => {
        readAnswer(response).then(resolve, reject);
      });
      outgoing.end(payload);
    });
  }

  close() {
    this.agent.destroy();
  }
}

async function readAnswer(response) {
  const chunks = [];
  for await (const chunk of response) chunks.push(chunk);
  if (!response.complete) throw new Error('the answer was cut short');
  return { status: response.statusCode, body: JSON.parse(Buffer.concat(chunks).toString('utf8')) };
}
