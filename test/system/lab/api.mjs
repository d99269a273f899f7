import { Buffer } from 'node:buffer';
import { Agent, request } from 'node:http';
import { URL } from 'node:url';
import { API_TOKEN } from './server.mjs';

const ANSWER_LIMIT_MS = 30_000;

/** Calls one server over connections that are kept. */
export class Api {
  // Ends an idle connection before the server does, which could be just as a call begins.
  agent = new Agent({ keepAlive: true, timeout: ANSWER_LIMIT_MS });

  /** @param url of `/api/user` */
  constructor(url, apiToken = API_TOKEN) {
    this.url = url;
    this.apiToken = apiToken;
  }

  /** Resolves with a JSON answer that has arrived as a whole; anything less rejects. */
  send(method, body, path = '/api/user') {
    const payload = Buffer.from(JSON.stringify(body));
    return new Promise((resolve, reject) => {
      const outgoing = request(new URL(path, this.url), {
        method,
        agent: this.agent,
        timeout: ANSWER_LIMIT_MS,
        headers: {
          Authorization: `Token ${this.apiToken}`,
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
  const { statusCode: status } = response;
  try {
    return { status, body: JSON.parse(Buffer.concat(chunks).toString('utf8')) };
  } catch {
    throw Object.assign(new Error(`status ${status} with an answer that is not JSON`), { status });
  }
}
