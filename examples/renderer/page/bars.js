const SVG = 'http://www.w3.org/2000/svg';
const [WIDTH, ROW, LABEL, VALUE] = [640, 46, 136, 84];
const money = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: 'EUR',
  notation: 'compact',
  maximumFractionDigits: 1,
});

/** Replaces the bars with one for each `{product, revenue}`. */
export function drawBars(svg, rows) {
  svg.setAttribute('viewBox', `0 0 ${WIDTH} ${Math.max(rows.length, 1) * ROW}`);
  const largest = Math.max(...rows.map(({ revenue }) => revenue), 1);
  svg.replaceChildren(
    ...rows.flatMap(({ product, revenue }, index) => {
      const middle = (index + 0.5) * ROW;
      const length = ((WIDTH - LABEL - VALUE) * Math.max(revenue, 0)) / largest;
      return [
        text('product', LABEL - 14, middle, product),
        element('rect', { x: LABEL, y: middle - 13, width: length, height: 26, rx: 5 }),
        text('revenue', LABEL + length + 10, middle, money.format(revenue)),
      ];
    }),
  );
}

function text(kind, x, y, content) {
  const created = element('text', { class: kind, x, y });
  created.textContent = content;
  return created;
}

function element(name, attributes) {
  const created = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) created.setAttribute(key, value);
  return created;
}
