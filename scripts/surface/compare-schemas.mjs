import { isDeepStrictEqual } from 'node:util';
import { shapesOf } from './shapes.mjs';

/**
 * A breaking change of a schema.
 * @typedef {object} Change
 * @property {string} path of the field, such as `user_groups[].token`; empty for the whole
 * @property {string} text the change in words
 * @property {string} [schema] the named schema that the field stands in
 * @property {string} [inSchema] its path there
 */

/** Limits: whether a greater value takes more. */
const LIMITS = {
  minimum: false,
  exclusiveMinimum: false,
  minLength: false,
  minItems: false,
  minProperties: false,
  maximum: true,
  exclusiveMaximum: true,
  maxLength: true,
  maxItems: true,
  maxProperties: true,
};
const COMPARED = new Set([
  ...Object.keys(LIMITS),
  'enum',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'default',
  // Values that may be among others: any text is possible before and after.
  'x-extensible-enum',
]);

/**
 * Compares schemas of two documents. Requests may only widen. Responses may only narrow, and keep their fields and
 * the values of their lists.
 */
export class SchemaComparison {
  /**
   * @param {any} before the released document
   * @param {any} after the present one
   * @param {boolean} isInput whether the service takes it; else the service sends it
   */
  constructor(before, after, isInput) {
    this.before = before;
    this.after = after;
    this.isInput = isInput;
    /** Pairs of named schemas that are being compared, for those that contain themselves. */
    this.open = new Set();
  }

  /** @returns {Change[]} those that break a caller; in each, what to tell */
  compare(before, after) {
    const was = shapesOf(before, this.before);
    const is = shapesOf(after, this.after);
    const lone = was.length === 1 && is.length === 1;
    const [narrow, wide] = this.isInput ? [was, is] : [is, was];
    return narrow.flatMap((shape) => {
      const fitting = wide.filter((one) => takes(one.type, shape.type));
      if (fitting.length === 0) return [this.#typeChange(shape, lone ? wide[0] : undefined)];
      const sorted = [...fitting].sort((a, b) => (b.name === shape.name) - (a.name === shape.name));
      const attempts = sorted.map((one) =>
        this.isInput ? this.#ofShapes(shape, one) : this.#ofShapes(one, shape),
      );
      return attempts.find((changes) => changes.length === 0) ?? attempts[0];
    });
  }

  #typeChange(shape, other) {
    const name = ({ type = 'any value' }) => type;
    if (other) {
      const [was, is] = this.isInput ? [shape, other] : [other, shape];
      return { path: '', text: `was ${name(was)}, is ${name(is)}` };
    }
    return {
      path: '',
      text: this.isInput ? `may no longer be ${name(shape)}` : `may be ${name(shape)} now`,
    };
  }

  #ofShapes(before, after) {
    const pair = `${before.name} ${after.name}`;
    const named = before.name !== undefined && after.name !== undefined;
    if (named && this.open.has(pair)) return [];
    if (named) this.open.add(pair);
    const changes = [
      ...this.#ofEnums(before.rules.enum, after.rules.enum),
      ...this.#ofLimits(before.rules, after.rules),
      ...this.#ofOtherRules(before.rules, after.rules),
      ...this.#ofFields(before.rules, after.rules),
      ...within('[]', this.#ofParts(before.rules.items, after.rules.items)),
    ];
    if (named) this.open.delete(pair);
    const { name } = before;
    if (name === undefined) return changes;
    return changes.map((one) => ({
      ...one,
      schema: one.schema ?? name,
      inSchema: one.inSchema ?? one.path,
    }));
  }

  #ofEnums(was, is) {
    if (was === undefined && is === undefined) return [];
    const texts = this.isInput
      ? missing(was, is).map((value) => `${value} is no longer taken`)
      : missing(is, was).map((value) => `${value} is a new value`);
    // Types of clients have a name for each value.
    const gone = this.isInput || was === undefined || is === undefined ? [] : missing(was, is);
    return [...texts, ...gone.map((value) => `${value} is no longer a value`)].map((text) => ({
      path: '',
      text,
    }));
  }

  #ofLimits(before, after) {
    return Object.entries(LIMITS).flatMap(([key, greaterIsWider]) => {
      const none = greaterIsWider ? Infinity : -Infinity;
      const [was, is] = [before[key] ?? none, after[key] ?? none];
      if (was === is) return [];
      const widened = is > was === greaterIsWider;
      if (widened === this.isInput) return [];
      return [{ path: '', text: `${key} was ${spell(before[key])}, is ${spell(after[key])}` }];
    });
  }

  /** Rules of which is only known whether they are there: one may go from input, or come to output. */
  #ofOtherRules(before, after) {
    const changes = this.isInput ? this.#ofDefaults(before, after) : [];
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      if (COMPARED.has(key) || isDeepStrictEqual(before[key], after[key])) continue;
      const wasThere = before[key] !== undefined && before[key] !== false;
      const isThere = after[key] !== undefined && after[key] !== false;
      if (wasThere !== isThere && isThere !== this.isInput) continue;
      changes.push({ path: '', text: `${key} was ${spell(before[key])}, is ${spell(after[key])}` });
    }
    return changes;
  }

  #ofDefaults(before, after) {
    if (before.default === undefined || isDeepStrictEqual(before.default, after.default)) return [];
    return [{ path: '', text: `default was ${spell(before.default)}, is ${spell(after.default)}` }];
  }

  #ofFields(before, after) {
    const was = before.properties ?? {};
    const is = after.properties ?? {};
    const needed = (rules, name) => rules.required?.includes(name) ?? false;
    const changes = [];
    for (const name of Object.keys(was)) {
      if (!(name in is)) {
        changes.push({ path: name, text: 'removed' });
        continue;
      }
      changes.push(...within(name, this.compare(was[name], is[name])));
      const tightened = needed(after, name) && !needed(before, name);
      const loosened = needed(before, name) && !needed(after, name);
      if (this.isInput && tightened) changes.push({ path: name, text: 'is required now' });
      if (!this.isInput && loosened) changes.push({ path: name, text: 'may be missing now' });
    }
    for (const name of this.isInput ? (after.required ?? []) : []) {
      if (name in was || needed(before, name)) continue;
      changes.push({ path: name, text: 'is new and required' });
    }
    const rest = before.additionalProperties ?? false;
    for (const name of this.isInput && rest ? Object.keys(is) : []) {
      if (!(name in was)) changes.push(...within(name, this.compare(rest, is[name])));
    }
    changes.push(
      ...within('*', this.#ofParts(before.additionalProperties, after.additionalProperties)),
    );
    return changes;
  }

  /** Compares the items of a list, or the values of a map. No schema allows everything. */
  #ofParts(was = true, is = true) {
    if (was === is) return [];
    // A field more may come with any response.
    if (was === false && !this.isInput) return [];
    return this.compare(was, is);
  }
}

/** Whether every value of the second type is one of the first. */
function takes(wide, narrow) {
  return wide === undefined || wide === narrow || (wide === 'number' && narrow === 'integer');
}

/** The same changes, seen from outside of a field. */
function within(name, changes) {
  return changes.map((change) => ({ ...change, path: join(name, change.path) }));
}

function join(name, path) {
  return path === '' || path.startsWith('[]') ? `${name}${path}` : `${name}.${path}`;
}

/** The values of the first list that the second does not have; no list is any value. */
function missing(values, from) {
  if (from === undefined) return [];
  if (values === undefined) return [`anything but ${from.map(spell).join(', ')}`];
  return values.filter((value) => !from.includes(value)).map(spell);
}

function spell(value) {
  return value === undefined ? 'unlimited' : JSON.stringify(value);
}
