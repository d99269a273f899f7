const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** Lays JSON text out over lines. Each number, string and word stays as it was written: parsing and printing a number can change it. */
export function layOut(text: string): string {
  const tokens = text.match(TOKENS) ?? [];
  let depth = 0;
  let laidOut = '';
  tokens.forEach((token, index) => {
    const isEmpty = ['{}', '[]'].includes(`${tokens[index - 1]}${token}`);
    if (token === '}' || token === ']') {
      depth -= 1;
      if (!isEmpty) laidOut += newLine(depth);
    }
    laidOut += token;
    if (token === '{' || token === '[') {
      depth += 1;
      const next = tokens[index + 1];
      if (next !== '}' && next !== ']') laidOut += newLine(depth);
    } else if (token === ',') laidOut += newLine(depth);
    else if (token === ':') laidOut += ' ';
  });
  return laidOut;
}

function newLine(depth: number): string {
  return `\n${'  '.repeat(depth)}`;
}

/** The text of each member of a JSON object, as it is written there; of an array by index. */
export function membersOf(text: string): Map<string, string> {
  const members = new Map<string, string>();
  let depth = 0;
  let name: string | undefined;
  let begin = -1;
  const isArray = text.startsWith('[');
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    if (token === '}' || token === ']') depth -= 1;
    if (name !== undefined && begin >= 0 && ((depth === 1 && token === ',') || depth === 0)) {
      members.set(name, text.slice(begin, index).trim());
      name = undefined;
      begin = -1;
    } else if (isArray && depth === 1 && name === undefined) {
      name = `${members.size}`;
      begin = index;
    } else if (depth === 1 && name === undefined && token.startsWith('"')) {
      name = JSON.parse(token) as string;
    } else if (depth === 1 && token === ':' && begin < 0) begin = index + 1;
    if (token === '{' || token === '[') depth += 1;
  }
  return members;
}

/** Finds a key that an object repeats: a browser would drop all of its values but the last. */
function repetitionIn(text: string): string | undefined {
  const open: (Set<string> | undefined)[] = [];
  let isKey = false;
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    if (token === '{' || token === '[') open.push(token === '{' ? new Set() : undefined);
    if (token === '}' || token === ']') open.pop();
    const keys = open.at(-1);
    if (isKey && keys && token.startsWith('"')) {
      const key = JSON.parse(token) as string;
      if (keys.has(key)) {
        return `Line ${text.slice(0, index).split('\n').length} repeats the key ${token}.`;
      }
      keys.add(key);
    }
    isKey = token === '{' || token === ',';
  }
  return undefined;
}

/** Returns what is wrong with the text of a JSON object; a syntax error in the browser's words. */
export function complaintAbout(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? repetitionIn(text)
      : 'Write a JSON object: { … }';
  } catch (error) {
    return (error as Error).message;
  }
}
