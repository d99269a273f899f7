import type { Violation } from '../../../platform/common/problem/violation.ts';

/** Returns one text of a refusal: each fault behind its place, such as `/name: The text must not be empty.` */
export function placedDetail(detail: string, errors: readonly Violation[] = []): string {
  const [first, ...others] = errors;
  if (!first) return detail;
  return [{ ...first, detail }, ...others]
    .map((one) => (one.pointer === '' ? one.detail : `${one.pointer}: ${one.detail}`))
    .join(' ');
}
