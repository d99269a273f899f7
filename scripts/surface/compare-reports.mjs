/**
 * Finds what an application that was written for the released package may no longer compile with: an
 * export that is gone, or whose declaration has another text. A new export is none of it, nor a new
 * optional member, nor a new member of a class that nobody has to implement or to make.
 * @param {string} entry what an application imports, such as `user-group-service/testing`
 * @param {string} before the API report of the release
 * @param {string | undefined} after the present one
 * @returns {import('./compare-openapi.mjs').Finding[]}
 */
export function compareReports(entry, before, after) {
  if (after === undefined) return [{ place: entry, names: [entry], text: 'removed' }];
  const is = declarations(after);
  return [...declarations(before)].flatMap(([name, lines]) => {
    const text = changeOf(lines, is.get(name));
    return text === undefined ? [] : [{ place: entry, names: [name], text: `${name} ${text}` }];
  });
}

/** The lines of each declaration of a report, by its name. */
function declarations(report) {
  const [, code = ''] = /^```ts\n([\s\S]*?)^```/m.exec(report) ?? [];
  const blocks = code
    .split(/\n\n+/)
    .map((block) => block.split('\n').filter((line) => !/^\s*(\/\/|import\b|$)/.test(line)))
    .filter((lines) => lines.length > 0);
  const byName = new Map();
  for (const lines of blocks) {
    const name = nameOf(lines[0]);
    byName.set(name, [...(byName.get(name) ?? []), ...lines]);
  }
  return byName;
}

function nameOf(line) {
  const declared =
    /^(?:export )?(?:default )?(?:declare )?(?:abstract )?(?:async )?(?:class|interface|type|const|let|var|function|enum|namespace) ([\w$]+)/;
  const renamed = /^export \{ (?:\S+ as )?([\w$]+) \}/;
  return (declared.exec(line) ?? renamed.exec(line))?.[1] ?? line;
}

/** Returns the change of a declaration, if it breaks a caller. */
function changeOf(was, is) {
  if (is === undefined) return 'removed';
  let next = 0;
  const added = [];
  for (const line of is) {
    if (line === was[next]) next++;
    else added.push(line);
  }
  if (next < was.length) return `changed: no longer ${was[next].trim()}`;
  const harmful = added.find((line) => !isHarmless(line, was[0]));
  return harmful && `changed: ${harmful.trim()}`;
}

/**
 * Whether code that uses, makes or implements the declaration can do without this member of it. Nobody makes
 * an object of a class, but for what is sent: a `…Dto`.
 */
function isHarmless(line, first) {
  const isMember = /^ {4}[^\s}].*;$/.test(line);
  if (!isMember || /^ *(protected )?(abstract|constructor)\b/.test(line)) return false;
  const isOptional = /^ *(readonly )?[\w$]+\?[:(]/.test(line);
  return (
    isOptional || (/^(export )?(abstract )?class /.test(first) && !/class \w*Dto\b/.test(first))
  );
}
