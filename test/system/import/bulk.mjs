import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { URL } from 'node:url';
import { API_TOKEN } from '../lab/server.mjs';

/** Kibibytes of memory that the process has had at most. */
export function peakMemory(pid) {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);
}

/** The lines of an import of `count` groups, whose numbers begin with `first`. */
export function* generateGroups(count, first = 1) {
  for (let number = first; number < first + count; number++) {
    yield `${JSON.stringify({
      user_group_id: `imported-${number}`,
      name: `Imported ${number}`,
      mapping: { sales: `warehouse-${number % 10}` },
      properties: { region: 'EMEA', seats: number },
    })}\n`;
  }
}

/** Sends the lines while it reads the answers, each of which must have this result; gives the summary. */
export async function importGroups(url, lines, count, result) {
  let answered = 0;
  const last = await send(url, 'import', 'application/x-ndjson', Readable.from(lines), (line) => {
    if (line.result !== result) throw new Error(`line ${line.line}: ${JSON.stringify(line)}`);
    answered++;
  });
  if (answered !== count) throw new Error(`${answered} of ${count} lines were answered`);
  return last;
}

/** Reads every group; gives the summary. */
export function exportGroups(url) {
  return send(url, 'export', 'application/json', Readable.from(['{}']), (group) => {
    if (!group.token) throw new Error(`no token: ${JSON.stringify(group)}`);
  });
}

async function send(url, operation, mediaType, body, onLine) {
  const outgoing = request(new URL(`/api/v1/user-groups/${operation}`, url), {
    method: 'POST',
    headers: { Authorization: `Token ${API_TOKEN}`, 'Content-Type': mediaType },
  });
  body.pipe(outgoing);
  const response = await new Promise((resolve, reject) => {
    outgoing.on('response', resolve);
    outgoing.on('error', reject);
  });
  let summary;
  for await (const text of createInterface({ input: response })) {
    const line = JSON.parse(text);
    if (line.summary) summary = line.summary;
    else onLine(line);
  }
  if (summary?.complete !== true) throw new Error(`${operation} was cut`);
  return summary;
}
