import { isWellFormedToken, type TokenPrefix } from './secrets.ts';

/** Any token is of visible ASCII, one that another system has issued, too. */
const TOKEN_CHARACTERS = /^[\x21-\x7e]+$/;
const SHORTEST_TOKEN = 20;
const GENERATED = /(ug[at])_[0-9A-Za-z]{38}/g;
/** A JWT, or a JWE without an encrypted key, whose header begins with a name of the usual ones. The bound keeps a search in hostile text short. */
const JWT = /eyJ(?:hbGci|0eXAi|raWQi)[\w-]{8,200}\.(?:[\w-]+\.[\w-]+|\.[\w-]+\.[\w-]+\.[\w-]+)/g;
/** Characters that stand around a token in lists, code and JSON. */
const AROUND = new Set('"\'`()[]{}<>,;.');
/** The name of a value, as in `token=…` and `x:token:…`; the first of these for one that ends with `=` itself. */
const NAMES = [/^[^=:]*[=:]/, /^.*[=:]/s];

/** Returns the text without white space around it, if it can be a token then. */
export function soleToken(text: string): string | undefined {
  const trimmed = text.trim();
  return TOKEN_CHARACTERS.test(trimmed) ? trimmed : undefined;
}

/**
 * Returns each text within `text` that can be a token: the whole of it without white space around, generated tokens
 * and JWTs wherever they stand, and words without what surrounds them in lists, sentences and code, for tokens of other systems.
 */
export function tokensIn(text: string): string[] {
  const sole = soleToken(text);
  const generated = [...text.matchAll(GENERATED)]
    .filter(([found, prefix]) => isWellFormedToken(prefix as TokenPrefix, found))
    .map(([found]) => found);
  const jwts = [...text.matchAll(JWT)].map(([found]) => found);
  const words = text
    .split(/\s+/)
    .flatMap((word) => {
      const inner = withoutSurroundings(word);
      const named = NAMES.map((name) => withoutSurroundings(inner.replace(name, '')));
      return [word, inner, ...named];
    })
    .filter((word) => word.length >= SHORTEST_TOKEN && TOKEN_CHARACTERS.test(word));
  return [...new Set([...(sole === undefined ? [] : [sole]), ...generated, ...jwts, ...words])];
}

/** Takes as long as the word: a pattern would look at a long run of quotes from each of them. */
function withoutSurroundings(word: string): string {
  let [from, to] = [0, word.length];
  while (from < to && AROUND.has(word[from]!)) from++;
  while (to > from && AROUND.has(word[to - 1]!)) to--;
  return word.slice(from, to);
}
