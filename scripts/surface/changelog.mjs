/**
 * The names that the changelog says to have changed incompatibly since the last release: what stands in
 * backticks in the entries under `## Unreleased` that begin with `**BREAKING**`.
 * @param {string} changelog its text
 * @returns {Set<string>}
 */
export function breakingNames(changelog) {
  const [, unreleased = ''] = /^## Unreleased$([\s\S]*?)(?=^## |(?![\s\S]))/m.exec(changelog) ?? [];
  const entries = unreleased.split(/^(?=- |#)/m).filter((one) => one.startsWith('- **BREAKING**'));
  const names = entries.flatMap((one) => [...one.matchAll(/`([^`]+)`/g)]);
  return new Set(names.map(([, name]) => name.replace(/\s+/g, ' ')));
}
