const WIDTH = 110;

/** The place between two steps, or behind the last of them. */
const STEPS = /(?<=›,) (?=\w+ AS (?:NOT )?MATERIALIZED )|(?<=MATERIALIZED ‹\d+›) /;
const CLAUSES =
  / (?=(?:SELECT|(?<!DISTINCT |DELETE )FROM|WHERE|(?:LEFT|CROSS) JOIN|(?<!LEFT |CROSS )JOIN|SET|ON CONFLICT|RETURNING|(?:GROUP|ORDER) BY|UNION ALL|FOR (?:NO KEY|KEY|UPDATE))(?: |$))/;
const CONDITIONS = / (?=AND |OR |WHEN |ELSE )/;

/**
 * Breaks an SQL text into lines: at steps, at clauses and conditions, then at commas. Nothing but white space changes.
 * @param gap the separator of the steps that the text begins with
 */
export function layOutSql(sql: string, gap: '\n' | '\n\n'): string {
  const hidden: string[] = [];
  const hide = (text: string) => `‹${hidden.push(text) - 1}›`;
  let text = sql
    .replace(/'(?:[^']|'')*'|"[^"]*"/g, hide)
    .replace(/\s+/g, ' ')
    .trim();
  while (text.includes('(')) {
    text = text.replace(/\(([^()]*)\)/g, (_all, inner: string) => hide(`(${inner.trim()})`));
  }

  const show = (part: string): string =>
    part.replace(/‹(\d+)›/g, (_all, at: string) => show(hidden[Number(at)]!));

  const lay = (part: string, indent: string): string => {
    const whole = show(part);
    if (indent.length + whole.length <= WIDTH) return whole;
    for (const separator of [STEPS, CLAUSES]) {
      const parts = part.split(separator);
      if (parts.length > 1) return parts.map((one) => lay(one, indent)).join(`\n${indent}`);
    }
    // The lines below a word such as WHERE or SELECT stand further in.
    const inner = /^[A-Z]+ /.test(part) ? `${indent}  ` : indent;
    const listed = part.split(/(?<=,) /);
    if (listed.length > 1) return fill(listed, inner);
    const conditions = part.split(CONDITIONS);
    if (conditions.length > 1) return conditions.map((one) => lay(one, inner)).join(`\n${inner}`);
    return open(part, indent);
  };

  /** Puts parts on a line until it is full. */
  const fill = (parts: readonly string[], indent: string): string => {
    const lines: string[] = [];
    for (const part of parts) {
      const laid = lay(part, indent);
      const line = lines.at(-1);
      if (line !== undefined && indent.length + line.length + laid.length < WIDTH) {
        lines.push(`${lines.pop()} ${laid}`);
      } else lines.push(laid);
    }
    return lines.join(`\n${indent}`);
  };

  /** The longest of the parentheses on lines of its own. */
  const open = (part: string, indent: string): string => {
    const marks = [...part.matchAll(/‹(\d+)›/g)].filter(([, at]) =>
      hidden[Number(at)]!.startsWith('('),
    );
    const longest = marks.toSorted(([one], [other]) => show(other).length - show(one).length)[0];
    if (!longest) return show(part);
    const [mark, at] = longest;
    const inner = lay(hidden[Number(at)]!.slice(1, -1), `${indent}  `);
    const [before, after] = [part.slice(0, longest.index), part.slice(longest.index + mark.length)];
    return `${show(before)}(\n${indent}  ${inner}\n${indent})${show(after)}`;
  };

  const laid = text
    .split(STEPS)
    .map((part) => lay(part, ''))
    .join(gap);
  if (laid.replace(/\s/g, '') !== sql.replace(/\s/g, '')) {
    throw new Error(`the layout has changed the statement: ${laid}`);
  }
  return laid;
}
