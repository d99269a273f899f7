import { availableParallelism, loadavg } from 'node:os';
import { countsOf, type Outcome, type Result } from './outcome.ts';
import { pageOf } from './report-page.ts';

/** The forms of a report. */
export const FORMATS = ['text', 'tap', 'junit', 'html'] as const;

export type Format = (typeof FORMATS)[number];

/** A report of all checks, without tokens. */
export function reportOf(format: Format, outcome: Outcome): string {
  const safe = outcome.results.map((result) => ({
    ...result,
    ...(result.reason !== undefined && { reason: withoutSecrets(result.reason) }),
    ...(result.steps && { steps: result.steps.map(withoutSecrets) }),
  }));
  if (format === 'junit') return junitOf(safe, outcome.seconds);
  const all = { ...outcome, results: safe };
  if (format === 'html') return withoutControls(pageOf(all));
  return withoutControls(format === 'tap' ? tapOf(safe) : textOf(all));
}

/** Tokens, JWTs, secrets of webhooks and credentials, whole or cut short. */
const SECRETS =
  /(ug[at]_)[0-9A-Za-z]+|(eyJ)[\w-]{8,}(?:\.[\w-]*){0,2}|(whs(?:ec|k)_)[\w+/]+=*|(\b(?:Basic|Bearer) +)[\w.~+/-]+=*/g;

/** Redacts whatever has the form of a secret: a renderer may show one that the kit has never sent. */
export function withoutSecrets(text: string): string {
  return text.replace(SECRETS, '$1$2$3$4[redacted]');
}

/** Control characters, except line feeds: a terminal would act on them. */
const CONTROLS = /(?!\n)[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;

/** Escapes control characters as JSON does: a renderer chooses what it sends. */
export function withoutControls(text: string): string {
  return text.replace(
    CONTROLS,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const MARKS = { passed: '✓', warned: '⚠', failed: '✗', unjudged: '?', skipped: '–', error: '!' };

function textOf({ results, seconds, slowestSeconds }: Outcome): string {
  const { passed, warned, failed, unjudged, skipped, error } = countsOf(results);
  const lines = results.flatMap(({ id, title, outcome, reason = '', means = '', steps = [] }) => {
    const line = `${MARKS[outcome]} ${id.padEnd(24)} ${title}`;
    if (outcome === 'passed') return [line];
    if (outcome === 'skipped') return [line, `    not checked: ${reason}`];
    if (outcome === 'warned') {
      return ['', line, `    warning: ${reason}`, `    means: ${means}`, ''];
    }
    const repeat = [
      '    repeat it:',
      ...steps.flatMap((step) => step.split('\n')).map((step) => `      ${step}`),
    ];
    if (outcome === 'unjudged') {
      return ['', line, `    not judged: ${reason}`, ...(steps.length > 0 ? repeat : []), ''];
    }
    return [
      '',
      line,
      `    seen:  ${reason}`,
      `    means: ${means}`,
      ...(steps.length > 0 ? repeat : []),
      '',
    ];
  });
  const others = [
    ...(warned > 0 ? [`${warned} passed with a warning`] : []),
    ...(unjudged > 0 ? [`${unjudged} not judged`] : []),
    `${skipped} not checked`,
    ...(error > 0 ? [`${error} could not be made`] : []),
  ];
  const load = (loadavg()[0] ?? 0).toFixed(1);
  return [
    ...(unjudged > 0
      ? [
          `${unjudged} ${unjudged === 1 ? 'check' : 'checks'} could not be judged: look first at why a valid token showed no rows.`,
          '',
        ]
      : []),
    ...lines,
    '',
    `${passed} passed, ${failed} failed, ${others.join(', ')}; ${seconds.toFixed(1)} s`,
    `The slowest response took ${slowestSeconds.toFixed(1)} s; this machine has a load of ${load} on ${availableParallelism()} processors.`,
    '',
  ].join('\n');
}

/** The words of TAP for outcomes; an outcome without one keeps its name. */
const SEVERITIES: Partial<Record<Result['outcome'], string>> = {
  failed: 'fail',
  warned: 'comment',
};

/** TAP version 14, https://testanything.org/tap-version-14-specification.html: a skipped check is `ok … # SKIP`. */
function tapOf(results: Result[]): string {
  const points = results.flatMap(
    ({ id, title, outcome, reason = '', means, steps = [] }, index) => {
      const isOk = ['passed', 'warned', 'skipped'].includes(outcome);
      const skip = outcome === 'skipped' ? ` # SKIP ${oneLine(reason)}` : '';
      const point = `${isOk ? '' : 'not '}ok ${index + 1} - ${escaped(`${id}: ${title}`)}${skip}`;
      if (isOk && outcome !== 'warned') return [point];
      // A JSON text is a YAML text.
      const list = steps.map((step) => `    - ${JSON.stringify(step)}`);
      const facts = [
        `  message: ${JSON.stringify(reason)}`,
        `  severity: ${SEVERITIES[outcome] ?? outcome}`,
      ];
      return [
        point,
        '  ---',
        ...facts,
        ...(means === undefined ? [] : [`  means: ${JSON.stringify(means)}`]),
        '  reproduce:',
        ...list,
        '  ...',
      ];
    },
  );
  return ['TAP version 14', `1..${results.length}`, ...points, ''].join('\n');
}

/** The form that Jenkins and GitLab read, https://github.com/windyroad/JUnit-Schema (JUnit.xsd). */
function junitOf(results: Result[], seconds: number): string {
  const { failed, unjudged, skipped, error } = countsOf(results);
  const counts = `tests="${results.length}" failures="${failed}" errors="${error + unjudged}" skipped="${skipped}" time="${seconds.toFixed(3)}"`;
  const cases = results.flatMap(
    ({ id, title, outcome, seconds: time, reason = '', means, steps = [] }) => {
      const begin = `    <testcase classname="conformance" name="${xml(`${id}: ${title}`)}" time="${time.toFixed(3)}"`;
      if (outcome === 'passed') return [`${begin}/>`];
      if (outcome === 'warned') {
        const text = xml(
          [`Warning: ${reason}`, ...(means === undefined ? [] : [means])].join('\n'),
        );
        return [`${begin}>`, `      <system-out>${text}</system-out>`, '    </testcase>'];
      }
      const message = `message="${xml(reason)}"`;
      if (outcome === 'skipped') {
        return [`${begin}>`, `      <skipped ${message}/>`, '    </testcase>'];
      }
      const element = outcome === 'failed' ? 'failure' : 'error';
      const meaning = means === undefined ? [] : [`What it means: ${means}`, ''];
      const text = xml([reason, '', ...meaning, 'Repeat it:', ...steps].join('\n'));
      return [
        `${begin}>`,
        `      <${element} ${message} type="${id}">${text}</${element}>`,
        '    </testcase>',
      ];
    },
  );
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="conformance" ${counts}>`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

/** In a description `#` begins a directive. */
function escaped(text: string): string {
  return oneLine(text).replaceAll('\\', '\\\\').replaceAll('#', '\\#');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
};

function xml(text: string): string {
  // XML 1.0 has no other control characters, no halves of surrogate pairs, and neither U+FFFE nor U+FFFF.
  const allowed = text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD');
  const entities = allowed.replace(/[&<>"\n]/g, (letter) => ENTITIES[letter]!);
  return entities.replace(CONTROLS, (letter) => `&#${letter.charCodeAt(0)};`);
}
