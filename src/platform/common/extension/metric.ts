/** A metric of the process. */
export type Metric = ReadMetric | HistogramMetric;

/** A metric that is read whenever the metrics are requested. */
export interface ReadMetric {
  /** A counter counts since the start; a gauge is the present value. */
  type: 'counter' | 'gauge';
  name: string;
  help: string;
  /** A metric without a label has a single value. */
  label?: string;
  /** Returns null while there is no value. */
  read: () => number | Readonly<Record<string, number>> | null;
}

/** A distribution of durations or sizes. */
export interface HistogramMetric extends Pick<ReadMetric, 'name' | 'help' | 'label'> {
  type: 'histogram';
  /** Upper bounds, the smallest first. */
  buckets: readonly number[];
  /** Values of the label that are exported from the start, so that Prometheus sees the first step. */
  values?: readonly string[];
  /** Gets the function that counts a value; called once. */
  start: (observe: (value: number, labelValue?: string) => void) => void;
}
