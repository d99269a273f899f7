/** A value that another part of the process keeps, read whenever the metrics are. */
export interface Watched {
  /** A counter counts since the start; a gauge is the present value. */
  type: 'counter' | 'gauge';
  name: string;
  help: string;
  /** Name of the label; without one there is a single value. */
  label?: string;
  /** Null while there is none. */
  read: () => number | Readonly<Record<string, number>> | null;
}
