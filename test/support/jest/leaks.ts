import { appendFileSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isWellFormedToken } from '../../../src/platform/common/secret/secrets.ts';

/** The directory of the run's notes. The global set-up sets the variable for the test processes. */
const DIRECTORY = 'LEAKS_DIRECTORY';
const TOKEN = /ug[at]_[0-9A-Za-z]{38}/g;
const EMBED_TOKEN = /eyJ[\w-]+\.(?:[\w-]+\.[\w-]{86}|\.[\w-]{16}\.[\w-]+\.[\w-]{22})/g;

/**
 * The lengths of the secret part of each kind of token. The search looks for that part alone, so a token without
 * its prefix is found, too. The secret part of an embed token is its signature, or the tag of its encryption: the text
 * before it opens nothing.
 */
const SECRET_LENGTHS = [22, 38, 86];

const NOT_OF_SECRET = 64;
/** A number below 64 for the byte of each character that a secret can contain. */
const digitOf = new Uint8Array(256).fill(NOT_OF_SECRET);
[...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-'].forEach(
  (character, digit) => (digitOf[character.charCodeAt(0)] = digit),
);

/** Begins to collect: every token issued, every line logged, every database at its end. */
export function startCollecting(): void {
  process.env[DIRECTORY] = mkdtempSync(join(tmpdir(), 'user-groups-leaks-'));
}

/** A directory that goes with the run; undefined if nothing is collected. */
export function runDirectory(): string | undefined {
  return process.env[DIRECTORY];
}

/** Takes note of every token in a text that holds tokens rightly: an answer, the output of a command. */
export function noteTokens(text: string): void {
  const tokens = [
    ...(text.match(EMBED_TOKEN) ?? []),
    // A text that only looks like a token is a name that a test has given to something.
    ...(text.match(TOKEN) ?? []).filter(
      (token) => isWellFormedToken('uga', token) || isWellFormedToken('ugt', token),
    ),
  ];
  if (tokens.length > 0) note('tokens', `${tokens.join('\n')}\n`);
}

/** Takes note of a token that another system has issued: it must end in 38 letters and digits. */
export function noteForeignToken(token: string): void {
  note('tokens', `${token}\n`);
}

/** Takes note of something that was logged. */
export function noteLog(text: string | Buffer): void {
  note('logs', text);
}

/** Takes note of a whole database. */
export function noteDump(content: string | Buffer): void {
  note('dumps', content);
}

/**
 * File descriptor for the log of an application in this process; undefined if nothing is collected.
 * It stays open: a line that comes late must not end up in whatever had the number next.
 */
export function openLog(): number | undefined {
  const directory = process.env[DIRECTORY];
  return directory === undefined ? undefined : openSync(fileOf(directory, 'logs'), 'a');
}

function note(kind: Kind, content: string | Buffer): void {
  const directory = process.env[DIRECTORY];
  if (directory !== undefined) appendFileSync(fileOf(directory, kind), content);
}

type Kind = 'tokens' | 'logs' | 'dumps';

function fileOf(directory: string, kind: Kind): string {
  return join(directory, `${kind}-${process.pid}`);
}

/** The amount of text that was searched, and every place that has an issued token. */
export interface Findings {
  tokens: number;
  logBytes: number;
  dumpBytes: number;
  leaks: string[];
}

/**
 * The guarantee: no token stands in a log or a database dump. Searches, and removes what was collected.
 */
export function findLeaks(): Findings {
  const directory = process.env[DIRECTORY]!;
  const read = (kind: Kind) =>
    readdirSync(directory)
      .filter((name) => name.startsWith(kind))
      .map((name) => readFileSync(join(directory, name)));
  const issued = new Set(
    read('tokens').flatMap((text) => text.toString('latin1').split('\n').filter(Boolean)),
  );
  const [logs, dumps] = [read('logs'), read('dumps')];
  const search = searchFor(issued);
  const findings = {
    tokens: issued.size,
    logBytes: lengthOf(logs),
    dumpBytes: lengthOf(dumps),
    leaks: [
      ...logs.flatMap((text) => search(text).map((place) => `log: ${place}`)),
      ...dumps.flatMap((text) => search(text).map((place) => `database: ${place}`)),
    ],
  };
  rmSync(directory, { recursive: true });
  return findings;
}

/** Gives the places where a text holds the secret part of an issued token. */
function searchFor(issued: ReadonlySet<string>): (text: Buffer) => string[] {
  const secrets = SECRET_LENGTHS.map((length) => ({
    length,
    values: new Set([...issued].map((token) => token.slice(-length))),
  }));
  // Few places begin with the four characters of a secret, and only those are cut out and compared.
  const beginnings = new Uint8Array(1 << 24);
  for (const { values } of secrets) {
    for (const value of values) beginnings[beginningOf(value)] = 1;
  }
  const least = Math.min(...SECRET_LENGTHS);
  return (text) => {
    const places: string[] = [];
    for (const [from, to] of stretchesOf(text, least)) {
      let beginning = 0;
      for (let last = from; last < to - least + 4; last++) {
        beginning = ((beginning << 6) | digitOf[text[last]!]!) & 0xffffff;
        if (beginnings[beginning] !== 1 || last < from + 3) continue;
        const start = last - 3;
        for (const { length, values } of secrets) {
          if (!values.has(text.toString('latin1', start, start + length))) continue;
          const before = text.toString('latin1', Math.max(0, start - 120), start);
          places.push(`${before}… (cut before the secret)`);
        }
      }
    }
    return places;
  };
}

/** Four characters as one number. */
function beginningOf(secret: string): number {
  return [...secret.slice(0, 4)].reduce(
    (number, character) => (number << 6) | digitOf[character.charCodeAt(0)]!,
    0,
  );
}

/**
 * The stretches of `least` or more characters that secrets consist of. Every such stretch contains one of the
 * places that are looked at, so that most of a text need not be read.
 */
function* stretchesOf(text: Buffer, least: number): Generator<[from: number, to: number]> {
  const isOfSecret = (place: number) => digitOf[text[place]!] !== NOT_OF_SECRET;
  for (let place = least - 1; place < text.length; place += least) {
    if (!isOfSecret(place)) continue;
    let [from, to] = [place, place + 1];
    while (from > 0 && isOfSecret(from - 1)) from--;
    while (to < text.length && isOfSecret(to)) to++;
    if (to - from >= least) yield [from, to];
    place = to;
  }
}

function lengthOf(texts: Buffer[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0);
}
