import { Buffer } from 'node:buffer';
import { spawnSync } from 'node:child_process';
import { fileURLToPath, URL } from 'node:url';
import { sqlLiteral } from '../../../dist/clients/typescript/index.js';
import { Violated } from '../lab/report.mjs';
import { hostileValues, isStorable } from './hostile.mjs';

const MAX_SHOWN = 10;

/** Stores each value by its literal, and finds it again by its literal. */
export async function keepsLiterals(dialect, open, { count, seed, corpora }) {
  const engine = await open();
  const violations = [];
  try {
    await engine.execute(`CREATE TABLE kept (label ${engine.types.text})`);
    for (const value of storableValues({ count, seed, corpora })) {
      if (violations.length === MAX_SHOWN) break;
      const literal = sqlLiteral(value, dialect);
      await engine.runOnce(`INSERT INTO kept VALUES (${literal})`);
      const rows = await engine.runOnce(
        `SELECT ${engine.hex('label')}, CASE WHEN label = ${literal} THEN 1 ELSE 0 END FROM kept
         WHERE label IN ('-', ${literal}) AND NOT label <> ${literal}`,
      );
      await engine.runOnce('DELETE FROM kept');
      const found = rows.map(([hex, same]) => [hex, Number(same)].join()).join(' ');
      const wanted = `${Buffer.from(value).toString('hex')},1`;
      if (found !== wanted) violations.push(`${JSON.stringify(value)}: ${wanted} became ${found}`);
    }
  } finally {
    await engine.close();
  }
  if (violations.length > 0) throw new Violated(violations);
  return `${count} literals stored and found`;
}

/** Lets a program read each literal as Superset reads a row filter: Jinja, then SQLAlchemy, then the driver. */
export function passesTemplates({ count, seed, corpora }) {
  const cases = [...storableValues({ count, seed, corpora })].map((value) => [
    value,
    sqlLiteral(value, 'sqlite'),
  ]);
  const script = fileURLToPath(new URL('read_by_templates.py', import.meta.url));
  const { status, stdout, stderr } = spawnSync('/usr/bin/python3', [script], {
    input: JSON.stringify(cases),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 ** 2,
  });
  if (status !== 0) throw new Error(stderr);
  const { read, wrong } = JSON.parse(stdout);
  if (wrong.length > 0 || read !== count) throw new Violated([`${read} were read`, ...wrong]);
  return `${read} literals came through Jinja and SQLAlchemy`;
}

function* storableValues({ count, seed, corpora }) {
  yield '';
  let left = count - 1;
  for (const value of hostileValues(seed, corpora)) {
    if (!isStorable(value)) continue;
    if (left-- === 0) return;
    yield value;
  }
}
