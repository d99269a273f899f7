import { ratio, serversOf, text } from './summary.mjs';

/** The tables of the documents, and what stands in their cells. */
export function ratioOf(turns, server, base, name) {
  if (server === base || !serversOf(turns).includes(base)) return '';
  const { median: middle, least, most } = ratio(turns, server, base, name);
  return `${text(middle, 2)} (${text(least, 2)}–${text(most, 2)})`;
}

export function table([head, ...lines]) {
  const row = (cells) => `| ${cells.join(' | ')} |\n`.replaceAll(/ +/g, ' ');
  return [row(head), `|${head.map(() => '---|').join('')}\n`, ...lines.map(row)].join('');
}

export function number(value) {
  return Math.round(value).toLocaleString('en-US');
}
