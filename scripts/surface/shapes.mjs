import { isDeepStrictEqual } from 'node:util';

/**
 * One way in which a schema can be met: a schema of at most one type, without references and alternatives.
 * @typedef {object} Shape
 * @property {string} [name] that of the component it stands in
 * @property {string} [type] any, where there is none
 * @property {Record<string, any>} rules its other keywords, without what only describes
 */

/** Keywords that say nothing about what is valid. */
export const DESCRIPTIVE = new Set([
  'description',
  'title',
  'example',
  'examples',
  'deprecated',
  'externalDocs',
  'xml',
  '$comment',
  'readOnly',
  'writeOnly',
  'discriminator',
]);
/** Keywords that make a schema out of others. */
const COMBINING = new Set(['$ref', 'allOf', 'oneOf', 'anyOf', 'type', 'nullable']);
/** A value of another type meets these whatever they say. */
const RULES_OF = {
  string: ['minLength', 'maxLength', 'pattern', 'format'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'format'],
  array: ['items', 'minItems', 'maxItems', 'uniqueItems'],
  object: ['properties', 'required', 'additionalProperties', 'minProperties', 'maxProperties'],
};
RULES_OF.integer = RULES_OF.number;

/**
 * Every way in which a schema can be met.
 * @param {any} schema of the document, or `undefined` for anything
 * @param {any} document for its references
 * @returns {Shape[]}
 */
export function shapesOf(schema, document) {
  if (schema === false) return [];
  if (schema === undefined || schema === true) return [{ rules: {} }];
  const alternatives = (list) => list.flatMap((one) => shapesOf(one, document));
  const factors = [
    ...(schema.$ref === undefined ? [] : [ofReference(schema.$ref, document)]),
    ownShapes(schema),
    ...(schema.allOf ?? []).map((one) => shapesOf(one, document)),
    ...(schema.oneOf ? [alternatives(schema.oneOf)] : []),
    ...(schema.anyOf ? [alternatives(schema.anyOf)] : []),
  ];
  return factors.reduce((left, right) =>
    left.flatMap((one) => right.map((other) => both(one, other)).filter((shape) => shape)),
  );
}

/** Returns the target of a reference within the document; anything else as it is. */
export function resolve(part, document) {
  if (part?.$ref === undefined) return part;
  const target = part.$ref
    .replace(/^#\//, '')
    .split('/')
    .reduce((place, step) => place?.[step.replace(/~1/g, '/').replace(/~0/g, '~')], document);
  if (target === undefined) throw new Error(`${part.$ref} is not in the document.`);
  return resolve(target, document);
}

function ofReference($ref, document) {
  const name = $ref.split('/').at(-1);
  return shapesOf(resolve({ $ref }, document), document).map((shape) => ({ ...shape, name }));
}

/** Returns the shapes that the schema's own keywords describe, one for each of its types. */
function ownShapes(schema) {
  const keywords = Object.entries(schema).filter(
    ([key, value]) =>
      !COMBINING.has(key) && !DESCRIPTIVE.has(key) && !key.startsWith('x-') && value !== undefined,
  );
  const { const: constant, ...rules } = Object.fromEntries(keywords);
  if (constant !== undefined) rules.enum = [constant];
  const types = typesOf(schema, rules.enum);
  if (types === undefined) return [{ rules }];
  return types.map((type) => ({ type, rules: rulesFor(type, rules) }));
}

function typesOf({ type, nullable }, values) {
  const named = type === undefined ? values && [...new Set(values.map(typeOf))] : [type].flat();
  return named && nullable === true ? [...new Set([...named, 'null'])] : named;
}

function rulesFor(type, rules) {
  const others = new Set(Object.values(RULES_OF).flat());
  for (const rule of RULES_OF[type] ?? []) others.delete(rule);
  const kept = Object.fromEntries(Object.entries(rules).filter(([key]) => !others.has(key)));
  // A list of the values of all types, for one of them.
  if (kept.enum) kept.enum = kept.enum.filter((value) => isOf(type, value));
  return kept;
}

function typeOf(value) {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

function isOf(type, value) {
  return typeOf(value) === type || (type === 'number' && typeof value === 'number');
}

/** Returns the shape that meets both, or `undefined` if none does. */
function both(one, other) {
  const name = one.name ?? other.name;
  if (one.type && other.type && one.type !== other.type) {
    const types = [one.type, other.type];
    if (!types.includes('integer') || !types.includes('number')) return undefined;
  }
  const type = [one.type, other.type].includes('integer') ? 'integer' : (one.type ?? other.type);
  const merged = { ...one.rules };
  for (const [key, value] of Object.entries(other.rules)) {
    merged[key] = key in merged ? bothRules(key, merged[key], value) : value;
  }
  return {
    ...(name && { name }),
    ...(type && { type }),
    rules: type ? rulesFor(type, merged) : merged,
  };
}

function bothRules(key, one, other) {
  if (isDeepStrictEqual(one, other)) return one;
  if (key === 'required') return [...new Set([...one, ...other])];
  if (key === 'enum') return one.filter((value) => other.includes(value));
  if (/^(min|exclusiveMin)/.test(key)) return Math.max(one, other);
  if (/^(max|exclusiveMax)/.test(key)) return Math.min(one, other);
  if (key === 'properties') {
    const shared = Object.keys(one).filter((name) => name in other);
    const merged = shared.map((name) => [name, { allOf: [one[name], other[name]] }]);
    return { ...one, ...other, ...Object.fromEntries(merged) };
  }
  // A keyword that is not compared must not pass unseen.
  throw new Error(`allOf with two different values of ${key} cannot be compared.`);
}
