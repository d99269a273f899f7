import { isDeepStrictEqual } from 'node:util';
import { SchemaComparison } from './compare-schemas.mjs';
import { resolve } from './shapes.mjs';

/**
 * Something on which a caller may rely, and which is not so any more.
 * @typedef {object} Finding
 * @property {string} place what has changed, such as `PUT /api/user`
 * @property {string[]} names what a line of the changelog may call it
 * @property {string} text the place within, and what has happened
 * @property {string} [cause] the same for every place that one change of a schema shows at
 */

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/**
 * Finds the changes that break a caller of the released service: something can no longer be sent, or no
 * longer be relied on in a response. Additions are no such changes. For a webhook the service is the
 * caller.
 * @param {any} before the OpenAPI document of the release
 * @param {any} after the present one
 * @returns {Finding[]}
 */
export function compareOpenApi(before, after) {
  return [
    ...comparePaths(before, after, 'paths'),
    ...comparePaths(before, after, 'webhooks'),
    ...compareNames(before.components?.schemas, after.components?.schemas),
    ...compareSecuritySchemes(before, after),
  ];
}

function comparePaths(before, after, kind) {
  const label = kind === 'webhooks' ? 'webhook ' : '';
  return Object.entries(before[kind] ?? {}).flatMap(([path, was]) => {
    const is = resolve(after[kind]?.[path], after);
    if (is === undefined) return [found(`${label}${path}`, [path], 'removed')];
    const item = resolve(was, before);
    return METHODS.filter((method) => method in item).flatMap((method) => {
      const place = `${label}${method.toUpperCase()} ${path}`;
      const names = [place, path];
      if (!(method in is)) return [found(place, names, 'removed')];
      const comparison = new OperationComparison(before, after, kind === 'webhooks');
      return comparison
        .compare(withShared(item, method), withShared(is, method))
        .map(({ schema, cause, text }) => ({
          place,
          names: schema === undefined ? names : [...names, schema],
          text,
          ...(cause && { cause }),
        }));
    });
  });
}

const found = (place, names, text) => ({ place, names, text });

/** An operation with the parameters of its path. */
function withShared(item, method) {
  const { parameters = [], ...operation } = item[method];
  return { ...operation, parameters: [...(item.parameters ?? []), ...parameters] };
}

/** Types of clients have the names of the schemas. */
function compareNames(before = {}, after = {}) {
  return Object.keys(before)
    .filter((name) => !(name in after))
    .map((name) => found(`schema ${name}`, [name], 'removed'));
}

function compareSecuritySchemes(before, after) {
  const schemes = ({ components }) => components?.securitySchemes ?? {};
  const essence = ({ type, name, in: place, scheme }) => ({ type, name, in: place, scheme });
  return Object.entries(schemes(before)).flatMap(([name, was]) => {
    const is = schemes(after)[name];
    if (is === undefined) return [found(`security scheme ${name}`, [name], 'removed')];
    if (isDeepStrictEqual(essence(was), essence(is))) return [];
    return [found(`security scheme ${name}`, [name], 'changed')];
  });
}

class OperationComparison {
  constructor(before, after, isWebhook) {
    this.before = before;
    this.after = after;
    /** Whether what the request brings is sent by callers, and not by the service. */
    this.takesRequest = !isWebhook;
  }

  compare(was, is) {
    return [
      ...this.#name(was, is),
      ...this.#access(was, is),
      ...this.#parameters(was.parameters, is.parameters),
      ...this.#body(resolve(was.requestBody, this.before), resolve(is.requestBody, this.after)),
      ...this.#responses(was.responses ?? {}, is.responses ?? {}),
    ];
  }

  /** Clients call their functions so. */
  #name({ operationId: was }, { operationId: is }) {
    return was === undefined || was === is ? [] : [{ text: `operationId was ${was}, is ${is}` }];
  }

  #access(was, is) {
    const { 'x-required-scopes': sufficed = [] } = was;
    const { 'x-required-scopes': needed = [] } = is;
    const scope = needed.every((one) => sufficed.includes(one))
      ? []
      : [{ text: `scope was ${sufficed.join(' and ') || 'none'}, is ${needed.join(' and ')}` }];
    const others = is['x-required-scope-with'] ?? {};
    const instead = Object.entries(was['x-required-scope-with'] ?? {})
      .filter(([field, one]) => others[field] !== one)
      .map(([field, one]) => ({
        text: `scope with ${field} was ${one}, is ${others[field] ?? needed.join(' and ')}`,
      }));
    return [...scope, ...instead, ...this.#security(was.security, is.security)];
  }

  #security(was = this.before.security ?? [], is = this.after.security ?? []) {
    const open = (list) => list.length === 0 || list.some((one) => Object.keys(one).length === 0);
    if (open(is)) return [];
    if (open(was)) return [{ text: 'asks for a token now' }];
    return was
      .filter((one) => !is.some((other) => isDeepStrictEqual(one, other)))
      .map((one) => ({ text: `no longer takes ${Object.keys(one).join(' with ')}` }));
  }

  #parameters(before, after) {
    const was = byKey(before, this.before);
    const is = byKey(after, this.after);
    const gone = [...was.keys()].filter((key) => !is.has(key));
    const added = [...is].filter(([key, { required }]) => !was.has(key) && required === true);
    return [
      ...gone.map((key) => ({ text: `${key} removed` })),
      ...(this.takesRequest ? added : []).map(([key]) => ({ text: `${key} is new and required` })),
      ...[...was]
        .filter(([key]) => is.has(key))
        .flatMap(([key, one]) => this.#field(key, one, is.get(key), this.takesRequest)),
    ];
  }

  /** A parameter, or a header of a response. */
  #field(key, was, is, isInput) {
    const changes = this.#need(key, was, is, isInput);
    for (const rule of ['style', 'explode']) {
      if (was[rule] === is[rule]) continue;
      changes.push({ text: `${key}: ${rule} was ${was[rule]}, is ${is[rule]}` });
    }
    if (was.content || is.content) {
      return [...changes, ...this.#content(key, was.content, is.content, isInput)];
    }
    return [...changes, ...this.#schema(key, was.schema, is.schema, isInput)];
  }

  #need(key, { required: was = false }, { required: is = false }, isInput) {
    if (was === is || is !== isInput) return [];
    return [{ text: `${key} ${isInput ? 'is required now' : 'may be missing now'}` }];
  }

  #body(was, is) {
    const place = 'request body';
    if (was === undefined) {
      return is?.required && this.takesRequest ? [{ text: `${place} is new and required` }] : [];
    }
    if (is === undefined) return [{ text: `${place} removed` }];
    return [
      ...this.#need(place, was, is, this.takesRequest),
      ...this.#content(place, was.content, is.content, this.takesRequest),
    ];
  }

  #responses(before, after) {
    return Object.entries(before).flatMap(([status, reference]) => {
      const place = `response ${status}`;
      if (after[status] === undefined) return [{ text: `${place} removed` }];
      const was = resolve(reference, this.before);
      const is = resolve(after[status], this.after);
      return [
        ...this.#content(place, was.content, is.content, !this.takesRequest),
        ...this.#headers(place, was.headers, is.headers),
      ];
    });
  }

  #headers(place, was = {}, is = {}) {
    const names = new Map(Object.keys(is).map((name) => [name.toLowerCase(), name]));
    return Object.entries(was).flatMap(([name, one]) => {
      const key = `${place}: header ${name}`;
      const other = is[names.get(name.toLowerCase())];
      if (other === undefined) return [{ text: `${key} removed` }];
      const fields = [resolve(one, this.before), resolve(other, this.after)];
      return this.#field(key, ...fields, !this.takesRequest);
    });
  }

  #content(place, was = {}, is = {}, isInput) {
    return Object.entries(was).flatMap(([type, { schema }]) =>
      is[type] === undefined
        ? [{ text: `${place}: ${type} removed` }]
        : this.#schema(place, schema, is[type].schema, isInput),
    );
  }

  #schema(place, was, is, isInput) {
    const changes = new SchemaComparison(this.before, this.after, isInput).compare(was, is);
    return changes.map(({ path, text, schema, inSchema }) => ({
      text: `${place}: ${path === '' ? '' : `${path} `}${text}`,
      ...(schema && { schema, cause: `${schema}.${inSchema} ${text}` }),
    }));
  }
}

function byKey(parameters, document) {
  return new Map(
    parameters
      .map((one) => resolve(one, document))
      .map((one) => [`${one.in} parameter ${one.name}`, one]),
  );
}
