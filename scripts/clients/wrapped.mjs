/** Text in lines of at most `width` characters; what one word needs alone it gets. Paragraphs stay. */
export function wrapped(text, width, indent, hanging = indent, taken = 0) {
  const lines = [];
  for (const paragraph of text.split('\n')) {
    let line = '';
    for (const word of paragraph.split(' ').filter((part) => part !== '')) {
      const begin = lines.length === 0 ? indent : hanging;
      const room = width - begin.length - (lines.length === 0 ? taken : 0);
      if (line !== '' && line.length + 1 + word.length > room) {
        lines.push(begin + line);
        line = word;
      } else {
        line = line === '' ? word : `${line} ${word}`;
      }
    }
    lines.push(line === '' ? '' : (lines.length === 0 ? indent : hanging) + line);
  }
  return lines;
}
