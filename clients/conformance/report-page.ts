import { availableParallelism, loadavg } from 'node:os';
import { type Counts, countsOf, type Outcome, type Result } from './outcome.ts';
import { VERSION } from './version.ts';

const WORDS: Record<Result['outcome'], string> = {
  passed: 'passed',
  warned: 'passed, with a warning',
  failed: 'failed',
  unjudged: 'not judged',
  skipped: 'not checked',
  error: 'could not be made',
};

const STYLE = `
  :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
  body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
  dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.25rem 1rem; }
  dt { font-weight: 600; }
  dd { margin: 0; overflow-wrap: anywhere; }
  table { width: 100%; border-collapse: collapse; }
  th, td { padding: 0.5rem; border-top: 1px solid #8886; text-align: left; vertical-align: top; }
  td { overflow-wrap: anywhere; }
  td p { margin: 0.25rem 0; }
  pre { white-space: pre-wrap; font-size: 0.85rem; }
  .failed, .error { color: light-dark(#a40000, #ff8f8f); font-weight: 600; }
  .unjudged, .warned { color: light-dark(#7a4d00, #ffc766); font-weight: 600; }
  .passed { color: light-dark(#0a6b2c, #7edb9b); }
  @media print { details { display: block; } body { margin: 0; max-width: none; } }`;

/**
 * A report on one page of HTML, for somebody who reads it without the kit: what was checked, when, and the evidence of each
 * check. It needs no other file and runs no script.
 * @param outcome without secrets
 */
export function pageOf({ results, seconds, slowestSeconds, subject }: Outcome): string {
  const counts = countsOf(results);
  const load = `${(loadavg()[0] ?? 0).toFixed(1)} on ${availableParallelism()} processors`;
  const facts = {
    Renderer: subject.renderer,
    Service: subject.service,
    Begun: subject.startedAt.toISOString(),
    Took: `${seconds.toFixed(1)} s; the slowest response ${slowestSeconds.toFixed(1)} s; load of this machine ${load}`,
    Kit: `@user-group-service/conformance ${VERSION}`,
  };
  const verdict = verdictOf(results);
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    '<title>Conformance of a renderer</title>',
    `<style>${STYLE}\n</style>`,
    '<h1>Does the renderer keep tenants apart?</h1>',
    `<p><strong>${html(verdict)}</strong></p>`,
    `<p>${html(summaryOf(counts))}</p>`,
    '<dl>',
    ...Object.entries(facts).map(([name, fact]) => `<dt>${name}</dt><dd>${html(fact)}</dd>`),
    '</dl>',
    '<table>',
    '<thead><tr><th>Check</th><th>Result</th><th>Seconds</th></tr></thead>',
    '<tbody>',
    ...results.map(rowOf),
    '</tbody>',
    '</table>',
    '</html>',
    '',
  ].join('\n');
}

function verdictOf(results: Result[]): string {
  const { failed, unjudged, error, skipped, passed, warned } = countsOf(results);
  if (failed > 0) return 'No: a check has failed.';
  if (unjudged + error > 0 || passed === 0) return 'This run does not tell.';
  if (skipped > 0) return 'Yes, as far as it was checked.';
  return warned > 0 ? 'Yes. Look at the warnings.' : 'Yes: every check has passed.';
}

function summaryOf(counts: Counts): string {
  const outcomes = Object.keys(WORDS) as Result['outcome'][];
  return outcomes
    .filter((outcome) => counts[outcome] > 0)
    .map((outcome) => `${counts[outcome]} ${WORDS[outcome]}`)
    .join(', ');
}

function rowOf({ id, title, outcome, seconds, reason, means, steps = [] }: Result): string {
  const paragraphs = [
    `<p>${html(title)}<br><code>${html(id)}</code></p>`,
    ...(reason === undefined ? [] : [`<p>${reasonOf(outcome)}: ${html(reason)}</p>`]),
    ...(means === undefined ? [] : [`<p>If it fails: ${html(means)}</p>`]),
    ...(steps.length === 0
      ? []
      : [`<details><summary>Last steps</summary><pre>${html(steps.join('\n'))}</pre></details>`]),
  ];
  return `<tr><td>${paragraphs.join('')}</td><td class="${outcome}">${WORDS[outcome]}</td><td>${seconds.toFixed(1)}</td></tr>`;
}

function reasonOf(outcome: Result['outcome']): string {
  return outcome === 'skipped' || outcome === 'unjudged' ? 'Why' : 'Seen';
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function html(text: string): string {
  return text.replace(/[&<>"]/g, (letter) => ENTITIES[letter]!);
}
