/** A metric of the process, read whenever the metrics are requested. */
export interface Metric {
  /** A counter counts since the start; a gauge is the present value. */
  type: 'counter' | 'gauge';
  name: string;
  help: string;
  /** A metric without a label has a single value. */
  label?: string;
  /** Returns null while there is no value. */
  read: () => number | Readonly<Record<string, number>> | null;
}
