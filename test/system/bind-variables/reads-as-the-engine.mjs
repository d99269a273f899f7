import { BindError, bindVariables } from '../../../dist/clients/typescript/index.js';
import { Violated } from '../lab/report.mjs';
import { mutatedTexts } from './mutated-texts.mjs';

const MAX_SHOWN = 10;
/** A smaller share of texts that both accept would show nothing. */
const MIN_SHARE = 0.02;

/** Mutates texts, and compares the values of each that is accepted with the parameters that the engine finds in it. */
export async function readsAsTheEngine(dialect, open, { count, seed }) {
  const engine = await open();
  const violations = [];
  const told = { refused: 0, 'refused by the engine': 0, agreed: 0 };
  try {
    await engine.execute(`CREATE TABLE canary (name ${engine.types.text})`);
    for (const sql of mutatedTexts(dialect, count, seed)) {
      if (violations.length === MAX_SHOWN) break;
      const bound = boundOf(sql, dialect);
      if (!bound) {
        told.refused += 1;
        continue;
      }
      const found = await engine.parametersOf(bound.text, bound.values);
      if (found === undefined) told['refused by the engine'] += 1;
      else if (found === bound.values.length) told.agreed += 1;
      else {
        violations.push(
          `${JSON.stringify(sql)}: ${bound.values.length} values, ${found} parameters`,
        );
      }
    }
  } finally {
    await engine.close();
  }
  if (told.agreed < count * MIN_SHARE) {
    violations.push(`only ${told.agreed} of ${count} texts were read by both`);
  }
  if (violations.length > 0) throw new Violated(violations);
  const shares = Object.entries(told).map(([name, number]) => `${number} ${name}`);
  return `${count} texts: ${shares.join(', ')}`;
}

function boundOf(sql, dialect) {
  try {
    return bindVariables(sql, { value: 'x' }, { dialect, declarations: { value: 'string' } });
  } catch (error) {
    if (!(error instanceof BindError)) throw error;
    return undefined;
  }
}
