import { type ComponentChildren } from 'preact';
import { format } from '../clock.ts';

/** A dotted name such as `user_group.create`, which breaks at its words if it is too long. */
export function Name({ children }: { children: string }) {
  return (
    <code class="name">
      {children.split(/(?<=[._])/).map((word, index) => [index > 0 && <wbr />, word])}
    </code>
  );
}

/**
 * Characters that show nothing and can change how a text reads; not those that join letters and emoji. Blanks at an end,
 * and several in a row, but not the indentation of a line.
 */
const UNSEEN =
  /((?![\n\t])[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]|^ +| +$|(?<=\S) {2,})/u;

/** Text that somebody else has written: in its own direction, with the characters that nobody can see. */
export function Text({ children }: { children: string | number }) {
  const text = String(children);
  if (text !== '' && text.trim() === '') return <span class="none">(blank)</span>;
  if (!UNSEEN.test(text)) return <bdi>{text}</bdi>;
  return (
    <bdi>
      {text.split(UNSEEN).map((part, index) =>
        index % 2 === 0 ? (
          part
        ) : (
          <span key={index} class="unseen-character">
            {part.startsWith(' ')
              ? '␣'.repeat(part.length)
              : `␣U+${part.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`}
          </span>
        ),
      )}
    </bdi>
  );
}

export function Badge({
  tone,
  children,
  title,
}: {
  tone?: string;
  children: ComponentChildren;
  title?: string;
}) {
  return (
    <span class={`badge ${tone ?? ''}`} title={title}>
      {children}
    </span>
  );
}

const dateOf = format({ day: 'numeric', month: 'short', year: 'numeric' });
const timeOf = format({ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });

/** A time in the chosen zone; the exact one in UTC is its title. */
export function Time({ at, none = '–' }: { at: string | null | undefined; none?: string }) {
  if (!at) return <span class="none">{none}</span>;
  const moment = new Date(at);
  const date = dateOf(moment);
  return (
    <time dateTime={at} title={`${moment.toISOString().replace('T', ' ').replace('Z', '')} UTC`}>
      {date === dateOf(new Date()) ? 'today' : date} <span class="clock">{timeOf(moment)}</span>
    </time>
  );
}

const shortOf = format({
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

/** A moment in a sentence: `26 Nov, 14:53`. */
export function moment(at: string | number): string {
  return shortOf(new Date(at));
}

/** The time until or since a moment, in one unit. */
export function span(at: string, now = Date.now()): string {
  const seconds = Math.abs(Date.parse(at) - now) / 1000;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 129600) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86400)} days`;
}
