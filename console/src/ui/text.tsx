import { type ComponentChildren } from 'preact';

/** A dotted name such as `user_group.create`, which breaks at its words if it is too long. */
export function Name({ children }: { children: string }) {
  return <code class="name">{children.split(/(?<=[._])/).map((word, index) => [index > 0 && <wbr />, word])}</code>;
}

export function Badge({ tone, children, title }: { tone?: string; children: ComponentChildren; title?: string }) {
  return (
    <span class={`badge ${tone ?? ''}`} title={title}>
      {children}
    </span>
  );
}

const dateFormat = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });

const timeFormat = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

/** A time in the reader's zone; the exact one in UTC is its title. */
export function Time({ at, none = '–' }: { at: string | null | undefined; none?: string }) {
  if (!at) return <span class="none">{none}</span>;
  const moment = new Date(at);
  const isToday = moment.toDateString() === new Date().toDateString();
  return (
    <time dateTime={at} title={`${moment.toISOString().replace('T', ' ').replace('Z', '')} UTC`}>
      {isToday ? 'today' : dateFormat.format(moment)} <span class="clock">{timeFormat.format(moment)}</span>
    </time>
  );
}

/** The time until or since a moment, in one unit. */
export function span(at: string, now = Date.now()): string {
  const seconds = Math.abs(Date.parse(at) - now) / 1000;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 129600) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86400)} days`;
}
