/** Tells whether gateways alone call an operation: they authenticate by a header of their own. */
function isForGateways({ security = [] }) {
  return security.some((scheme) => 'GatewayToken' in scheme);
}

/**
 * Returns a copy of an OpenAPI document without the operations of gateways, which no client calls.
 * @template {{ paths: object }} Document
 * @param {Document} document
 * @returns {Document}
 */
export function withoutGateways({ paths, ...document }) {
  const called = Object.entries(paths).map(([path, item]) => {
    const operations = Object.entries(item).filter(([, operation]) => !isForGateways(operation));
    return [path, Object.fromEntries(operations)];
  });
  return { ...document, paths: Object.fromEntries(called) };
}

/** Returns a copy of an OpenAPI document with each shared parameter where an operation refers to it. */
export function withParametersInPlace(document) {
  const text = JSON.stringify(document, (_key, value) => {
    const [, name] = /^#\/components\/parameters\/(.+)$/.exec(value?.$ref ?? '') ?? [];
    return name === undefined ? value : document.components.parameters[name];
  });
  return JSON.parse(text);
}
