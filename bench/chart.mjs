/** Draws what was measured as SVG, readable on a light and on a dark page. */
import { NAMES } from './names.mjs';
import { figure, serversOf, text } from './summary.mjs';

const WIDTH = 860;
const STYLE = `
    text { font: 13px system-ui, -apple-system, 'Segoe UI', sans-serif; fill: #1f2328 }
    .title { font-size: 16px; font-weight: 600 }
    .group { font-weight: 600 }
    .quiet { fill: #59636e }
    .end { text-anchor: end }
    .middle { text-anchor: middle }
    .page { fill: #ffffff }
    .line { stroke: #d1d9e0; stroke-width: 1 }
    .a { fill: #1f6feb; stroke: #1f6feb }
    .b { fill: #8c959f; stroke: #8c959f }
    .c { fill: #d4a72c; stroke: #d4a72c }
    .d { fill: #8250df; stroke: #8250df }
    .e { fill: #1a7f37; stroke: #1a7f37 }
    .curve { fill: none; stroke-width: 2.5 }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3 }
      .quiet { fill: #9198a1 }
      .page { fill: #0d1117 }
      .line { stroke: #3d444d }
      .a { fill: #4493f8; stroke: #4493f8 }
      .b { fill: #9198a1; stroke: #9198a1 }
      .c { fill: #e3b341; stroke: #e3b341 }
      .d { fill: #ab7df8; stroke: #ab7df8 }
      .e { fill: #3fb950; stroke: #3fb950 }
    }`;
/** A colour for each contestant, and for each line of the growth. */
const COLOURS = { service: 'a', limit: 'b', textbook: 'c', before: 'd', memory: 'e' };

/** Requests a second of each contestant, an operation below the other, on one scale. */
export function throughputChart({ rounds, options }) {
  const [left, right, bar, gap] = [200, 180, 20, 5];
  const operations = Object.keys(NAMES.short);
  const all = operations.flatMap((operation) =>
    serversOf(rounds[operation]).map((server) =>
      figure(rounds[operation], server, 'requestsPerSecond'),
    ),
  );
  const scale = (WIDTH - left - right) / Math.max(...all);
  let y = 60;
  const parts = [
    label(20, 32, 'title', `Requests a second, ${options.connections} connections`),
    label(WIDTH - 20, 32, 'quiet end', 'and the time of the slowest 1 % (p99)'),
  ];
  for (const operation of operations) {
    parts.push(label(20, y + bar - 5, 'group', NAMES.short[operation]));
    for (const server of serversOf(rounds[operation])) {
      const value = figure(rounds[operation], server, 'requestsPerSecond');
      const p99 = figure(rounds[operation], server, 'p99Milliseconds');
      const width = Math.max(2, value * scale);
      parts.push(
        label(left - 8, y + bar - 5, 'quiet end', NAMES.servers[server]),
        `<rect class="${COLOURS[server]}" x="${left}" y="${y}" width="${text(width, 1)}" height="${bar}" rx="3" stroke="none"/>`,
        `<text x="${text(left + width + 8, 1)}" y="${y + bar - 5}">${thousands(value)}` +
          `<tspan class="quiet" dx="8">p99 ${text(p99, 1)} ms</tspan></text>`,
      );
      y += bar + gap;
    }
    y += 16;
  }
  return svg(y, parts);
}

/** Requests a second on databases of different sizes. */
export function growthChart({ rounds, options }) {
  const [left, right, top, bottom, height] = [70, 220, 60, 320, 370];
  const { sizes } = options;
  const operations = Object.keys(NAMES.short);
  const all = operations.flatMap((operation) =>
    sizes.map((size) => figure(rounds[operation], size, 'requestsPerSecond')),
  );
  const step = niceStep(Math.max(...all) / 4);
  const most = Math.ceil(Math.max(...all) / step) * step;
  const x = (size) => left + (sizes.indexOf(size) * (WIDTH - left - right)) / (sizes.length - 1);
  const y = (value) => bottom - (value / most) * (bottom - top);
  const parts = [label(20, 32, 'title', 'Requests a second as the number of groups grows')];
  for (let value = 0; value <= most; value += step) {
    parts.push(
      `<line class="line" x1="${left}" x2="${WIDTH - right}" y1="${text(y(value), 1)}" y2="${text(y(value), 1)}"/>`,
      label(left - 10, y(value) + 4, 'quiet end', thousands(value)),
    );
  }
  for (const size of sizes) {
    parts.push(label(x(size), bottom + 24, 'quiet middle', `${thousands(size)} groups`));
  }
  const ends = apart(
    operations.map((operation) => y(figure(rounds[operation], sizes.at(-1), 'requestsPerSecond'))),
  );
  operations.forEach((operation, index) => {
    const colour = Object.values(COLOURS)[index];
    const points = sizes.map((size) => [
      x(size),
      y(figure(rounds[operation], size, 'requestsPerSecond')),
    ]);
    const path = points.map(([px, py]) => `${text(px, 1)},${text(py, 1)}`).join(' ');
    parts.push(`<polyline class="curve ${colour}" style="fill:none" points="${path}"/>`);
    for (const [px, py] of points) {
      parts.push(
        `<circle class="${colour}" cx="${text(px, 1)}" cy="${text(py, 1)}" r="4" stroke="none"/>`,
      );
    }
    const last = figure(rounds[operation], sizes.at(-1), 'requestsPerSecond');
    parts.push(
      label(
        WIDTH - right + 14,
        ends[index] + 4,
        '',
        `${NAMES.short[operation]} ${thousands(last)}`,
      ),
    );
  });
  return svg(height, parts);
}

function svg(height, parts) {
  const body = parts.map((part) => `  ${part}`).join('\n');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">
  <style>${STYLE}
  </style>
  <rect class="page" width="${WIDTH}" height="${height}" rx="8"/>
${body}
</svg>
`;
}

function label(x, y, classes, content) {
  return `<text x="${text(x, 1)}" y="${text(y, 1)}" class="${classes}">${content}</text>`;
}

/** 1, 2 or 5 times a power of ten. */
function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least);
}

/** Moves what lies too close together apart, so that its labels can be read. */
function apart(positions, distance = 20) {
  const order = positions.map((_, index) => index).sort((a, b) => positions[a] - positions[b]);
  const moved = [...positions];
  for (let place = 1; place < order.length; place++) {
    const least = moved[order[place - 1]] + distance;
    moved[order[place]] = Math.max(moved[order[place]], least);
  }
  return moved;
}

function thousands(value) {
  return Math.round(value).toLocaleString('en-US');
}
