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

/** The text of each member of a JSON object, as it is written there. */
export function membersOf(text: string): Map<string, string> {
  const members = new Map<string, string>();
  let depth = 0;
  let name: string | undefined;
  let begin = -1;
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    if (token === '}' || token === ']') depth -= 1;
    if (name !== undefined && begin >= 0 && ((depth === 1 && token === ',') || depth === 0)) {
      members.set(name, text.slice(begin, index).trim());
      name = undefined;
      begin = -1;
    } else if (depth === 1 && name === undefined && token.startsWith('"')) {
      name = JSON.parse(token) as string;
    } else if (depth === 1 && token === ':' && begin < 0) begin = index + 1;
    if (token === '{' || token === '[') depth += 1;
  }
  return members;
}

/** Returns the browser's description of an error in the text of a JSON object. */
export function complaintAbout(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? undefined
      : 'Write a JSON object: { … }';
  } catch (error) {
    return (error as Error).message;
  }
}
