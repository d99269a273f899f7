/** Returns a copy of an OpenAPI document with each shared parameter where an operation refers to it. */
export function withParametersInPlace(document) {
  const text = JSON.stringify(document, (_key, value) => {
    const [, name] = /^#\/components\/parameters\/(.+)$/.exec(value?.$ref ?? '') ?? [];
    return name === undefined ? value : document.components.parameters[name];
  });
  return JSON.parse(text);
}
