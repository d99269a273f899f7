// Cases that the rule `no-packed-spread` must report, and cases it must not. A directive that switches off nothing fails
// the lint, so each of them shows that the rule finds the line below it.

const given = { name: 'acme', ids: [1, 2] };

// eslint-disable-next-line local/no-packed-spread
export const a = { id: 1, ...{ name: 'acme', region: 'emea' } };

// eslint-disable-next-line local/no-packed-spread
export const b = [...['innerText', 'textContent'], 'title'];

// eslint-disable-next-line local/no-packed-spread
export const c = Math.max(...[1, 2]);

export const d = { id: 1, ...given, ...(given.ids.length > 0 && { name: 'first' }) };
export const e = [...given.ids, ...[1, 2].map((id) => id * 2), ...'ab'];
