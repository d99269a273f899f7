import { useState } from 'preact/hooks';
import { behindUtc, format } from '../clock.ts';
import { Time } from './text.tsx';

type Point<Key extends string> = { at: string } & Record<Key, number>;

export interface Series<Key extends string> {
  key: Key;
  name: string;
  tone: 'accent' | 'warn' | 'good';
}

const short = new Intl.NumberFormat(undefined, { notation: 'compact' });
const hour = format({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const day = format({ day: 'numeric', month: 'short' });

/** The next number that reads well, and whose half does; not below 4. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 4)));
  return [1, 2, 4, 6, 8, 10].map((one) => one * power).find((one) => one >= Math.max(value, 4))!;
}

/** The labels below some of the points: hours of one day, days of a week, or every other week. */
function labelsOf(
  points: { at: string }[],
  step: 'hour' | 'day',
): [index: number, label: string][] {
  return points.flatMap(({ at }, index): [number, string][] => {
    const moment = new Date(at);
    const hours = new Date(+moment - behindUtc(moment) * 60_000).getUTCHours();
    if (step === 'day') return index % 15 === 7 ? [[index, day(moment)]] : [];
    if (points.length > 48) return hours === 0 ? [[index, day(moment)]] : [];
    return hours % 4 === 0 ? [[index, hour(moment)]] : [];
  });
}

/** Bars over time. Shows the numbers of the point under the pointer, or selected by arrow keys, otherwise the sums. */
export function Chart<Key extends string>({
  points,
  series,
  step,
}: {
  points: Point<Key>[] | undefined;
  series: Series<Key>[];
  step: 'hour' | 'day';
}) {
  const [at, setAt] = useState<number>();
  const all = points ?? [];
  const pointed = at === undefined ? undefined : all[at];
  const width = 0.8 / series.length;
  const sumOf = (key: Key) => all.reduce((total, point) => total + point[key], 0);
  const last = Math.max(all.length - 1, 0);
  const top = roundUp(Math.max(0, ...all.flatMap((point) => series.map(({ key }) => point[key]))));
  const share = (index: number) => `${((index + 0.5) / (last + 1)) * 100}%`;
  const point = (event: PointerEvent & { currentTarget: Element }) => {
    const plot = event.currentTarget.getBoundingClientRect();
    const index = Math.floor(((event.clientX - plot.left) / plot.width) * (last + 1));
    setAt(Math.min(Math.max(index, 0), last));
  };
  const leave = () => {
    setAt(undefined);
  };
  const walk = (event: KeyboardEvent) => {
    const from = at ?? last + 1;
    const places: Record<string, number> = {
      ArrowLeft: from - 1,
      ArrowRight: from + 1,
      Home: 0,
      End: last,
    };
    const index = places[event.key];
    if (event.key === 'Escape') leave();
    if (index === undefined) return;
    setAt(Math.min(Math.max(index, 0), last));
    event.preventDefault();
  };
  return (
    <figure class="chart">
      <figcaption>
        <span>{pointed ? <Time at={pointed.at} /> : 'Total'}</span>
        {series.map(({ key, name, tone }) => (
          <span key={key} class={`legend ${tone}`}>
            {name} <strong>{points ? (pointed?.[key] ?? sumOf(key)).toLocaleString() : '…'}</strong>
          </span>
        ))}
      </figcaption>
      <div
        class="plot"
        role="img"
        tabIndex={0}
        aria-label={series.map(({ key, name }) => `${name}: ${sumOf(key)}`).join(', ')}
        onPointerMove={point}
        onPointerLeave={leave}
        onKeyDown={walk}
        onBlur={leave}
      >
        {[1, 0.5, 0].map((part) => (
          <span key={part} class="level" style={{ top: `${(1 - part) * 100}%` }}>
            {short.format(top * part)}
          </span>
        ))}
        <svg viewBox={`0 0 ${last + 1} ${top}`} preserveAspectRatio="none" aria-hidden="true">
          {series.map(({ key, tone }, place) => (
            <path
              key={key}
              class={tone}
              d={all
                .map(
                  (one, at) =>
                    `M${at + 0.1 + place * width},${top}v${-one[key]}h${width}v${one[key]}`,
                )
                .join('')}
            />
          ))}
        </svg>
        {at !== undefined && <i class="pointed" style={{ left: share(at) }} />}
        {labelsOf(all, step).map(([index, label], place) => (
          <span
            key={index}
            class={`moment ${place % 2 ? 'second' : ''}`}
            style={{ left: share(index) }}
          >
            {label}
          </span>
        ))}
      </div>
    </figure>
  );
}
