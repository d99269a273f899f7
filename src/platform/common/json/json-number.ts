/** Smaller doubles have fewer digits. */
const LEAST_PRECISE = 1e-300;

/**
 * Whether reading a JSON number as a double and printing it again keeps its decimal value: `1.0` and `1E2` do,
 * `9007199254740993`, `1e400` and `0.1000000000000000001` do not.
 */
export function isExactNumber(source: string, value: number): boolean {
  if (!Number.isFinite(value)) return false;
  // Fifteen digits always survive a double (IEEE 754, DBL_DIG).
  if (source.length <= 15 && Math.abs(value) >= LEAST_PRECISE) return true;
  // Most programs print a double as JavaScript does.
  if (String(value) === source) return true;
  return canonicalDecimal(source) === canonicalDecimal(String(value));
}

/**
 * Normalises a number to one spelling for each decimal value: sign, digits without outer zeros, exponent of the last
 * digit.
 */
function canonicalDecimal(source: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = trimTrailingZeros(digits);
  if (significant === '') return '0';
  const lastDigit = Number(exponent) - fraction.length + digits.length - significant.length;
  return `${sign}${significant}e${lastDigit}`;
}

/** A loop, because the regular expression for it backtracks quadratically on hostile digits. */
function trimTrailingZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end--;
  return digits.slice(0, end);
}
