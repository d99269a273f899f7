import { dataOf, api } from '../../api.ts';
import { useRepeated } from '../../attended.ts';
import { useLoad } from '../../load.ts';
import { filter, place } from '../../router.ts';
import { Chart, type Series } from '../../ui/chart.tsx';
import { Panel } from '../../ui/page.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { AGAIN_AFTER } from './again.ts';

const PERIODS: [key: string, name: string, hours: number, step: 'hour' | 'day'][] = [
  ['24h', '24 hours', 24, 'hour'],
  ['7d', '7 days', 168, 'hour'],
  ['90d', '90 days', 2160, 'day'],
];
const HOUR = 3_600_000;

const READ: Series<'introspections'>[] = [
  { key: 'introspections', name: 'Introspections', tone: 'accent' },
];
const WRITTEN: Series<'rotations' | 'creations'>[] = [
  { key: 'rotations', name: 'Rotations', tone: 'warn' },
  { key: 'creations', name: 'New groups', tone: 'good' },
];

/** Charts of the period that the address names. */
export function Activity() {
  const key = place.value.query.get('period') ?? '24h';
  const [, , hours, step] = PERIODS.find(([one]) => one === key) ?? PERIODS[0]!;
  const { data, error, reload } = useLoad(
    async (signal) => {
      const to = new Date(Math.ceil(Date.now() / HOUR) * HOUR);
      const from = new Date(to.getTime() - hours * HOUR);
      const query = { from: from.toISOString(), to: to.toISOString(), step };
      return (await dataOf(api.GET('/api/v1/overview/activity', { params: { query }, signal })))
        .activity.points;
    },
    [key],
  );
  useRepeated(reload, AGAIN_AFTER);
  const actions = (
    <div class="segments small" role="group" aria-label="Period">
      {PERIODS.map(([one, name]) => (
        <label key={one}>
          <input
            type="radio"
            name="period"
            checked={one === key}
            onChange={() => {
              filter({ period: one === '24h' ? '' : one });
            }}
          />
          {name}
        </label>
      ))}
    </div>
  );
  return (
    <Panel
      title="Activity"
      about={step === 'hour' ? 'By the hour' : 'By the day'}
      actions={actions}
    >
      {error && !data ? (
        <Trouble error={error} retry={reload} />
      ) : (
        <>
          <Chart points={data} series={READ} step={step} />
          <Chart points={data} series={WRITTEN} step={step} />
        </>
      )}
    </Panel>
  );
}
