import { useEffect } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { api, answerOf } from '../api.ts';
import { isAttended } from '../attended.ts';
import { writeUserGroup } from '../curl.ts';
import { useLoad } from '../load.ts';
import { addressOf, filter, place } from '../router.ts';
import { may } from '../session.ts';
import { Chart, type Series } from '../ui/chart.tsx';
import { Empty } from '../ui/empty.tsx';
import { Header, Panel } from '../ui/page.tsx';
import { Time } from '../ui/text.tsx';
import { Trouble } from '../ui/trouble.tsx';

const AGAIN_AFTER = 15_000;
const number = new Intl.NumberFormat();

export default function OverviewPage() {
  const { data, error, reload } = useLoad(
    async (signal) => (await answerOf(api.GET('/api/v1/overview', { signal }))).overview,
    [],
  );
  useAgain(reload);
  const groups = data?.user_groups;
  const tokens = data?.user_group_tokens;
  const apiTokens = data?.api_tokens;
  return (
    <>
      <Header
        title="Overview"
        about={
          <>
            As of <Time at={data?.as_of} none="…" />
          </>
        }
      />
      <Trouble error={error} retry={reload} />
      <div class="tiles">
        <Tile name="User groups" count={groups?.total} address={addressOf(['groups'])} />
        <Tile name="Suspended" count={groups?.suspended} address={addressOf(['groups'], { status: 'suspended' })} />
        <Tile
          name="Unresolvable"
          count={groups?.unresolvable}
          warn
          note="by their mappings"
          address={
            may('registry:read') ? addressOf(['registry', 'policy']) : addressOf(['groups'], { status: 'unresolvable' })
          }
        />
        <Tile
          name="Incomplete"
          count={groups?.incomplete}
          warn
          note="lack a requirement"
          address={may('registry:read') ? addressOf(['registry', 'policy']) : undefined}
        />
        <Tile
          name="Old tokens valid"
          count={tokens?.in_overlap}
          note={tokens && `${number.format(tokens.in_overlap_used_last_hour)} used last hour`}
        />
        {(may('admin') || apiTokens) && (
          <Tile
            name="API tokens"
            count={apiTokens?.active}
            note={apiTokens && `${apiTokens.expiring_within_30_days} expire in 30 days`}
            address={addressOf(['api-tokens'])}
          />
        )}
      </div>
      {groups?.total === 0 && (
        <Panel>
          <Empty title="There are no user groups yet" curl={writeUserGroup}>
            The backend of your product creates them with a call. <a href={addressOf(['groups'])}>Make one here</a>, or
            import a file.
          </Empty>
        </Panel>
      )}
      <Activity />
    </>
  );
}

/** Reloads regularly while the page is attended. */
function useAgain(reload: () => void): void {
  useEffect(() => {
    const timer = setInterval(() => {
      if (isAttended()) reload();
    }, AGAIN_AFTER);
    return () => {
      clearInterval(timer);
    };
  }, []);
}

function Tile({
  name,
  count,
  note,
  warn,
  address,
}: {
  name: string;
  count: number | null | undefined;
  note?: ComponentChildren;
  warn?: boolean;
  address?: string | undefined;
}) {
  const content = (
    <>
      <p class="tile-name">{name}</p>
      <p class="tile-count">
        {count === undefined ? <span class="bone w3" /> : count === null ? '–' : number.format(count)}
      </p>
      <p class="tile-note">{count === null ? 'not known' : (note ?? ' ')}</p>
    </>
  );
  const kind = `tile ${warn && count ? 'warn' : ''}`;
  return address ? (
    <a class={kind} href={address}>
      {content}
    </a>
  ) : (
    <div class={kind}>{content}</div>
  );
}

const PERIODS: [key: string, name: string, hours: number, step: 'hour' | 'day'][] = [
  ['24h', '24 hours', 24, 'hour'],
  ['7d', '7 days', 168, 'hour'],
  ['90d', '90 days', 2160, 'day'],
];
const HOUR = 3_600_000;

const READ: Series[] = [{ key: 'introspections', name: 'Introspections', tone: 'accent' }];
const WRITTEN: Series[] = [
  { key: 'rotations', name: 'Rotations', tone: 'warn' },
  { key: 'creations', name: 'New groups', tone: 'good' },
];

function Activity() {
  const key = place.value.query.get('period') ?? '24h';
  const [, , hours, step] = PERIODS.find(([one]) => one === key) ?? PERIODS[0]!;
  const { data, error, reload } = useLoad(
    async (signal) => {
      const to = new Date(Math.ceil(Date.now() / HOUR) * HOUR);
      const from = new Date(to.getTime() - hours * HOUR);
      const query = { from: from.toISOString(), to: to.toISOString(), step };
      const call = api.GET('/api/v1/overview/activity', { params: { query }, signal });
      const answer = await answerOf(call);
      return answer.activity.points;
    },
    [key],
  );
  useAgain(reload);
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
  if (error && !data) {
    return (
      <Panel title="Activity" actions={actions}>
        <Trouble error={error} retry={reload} />
      </Panel>
    );
  }
  return (
    <Panel title="Activity" about={step === 'hour' ? 'By the hour' : 'By the day'} actions={actions}>
      <Chart points={data} series={READ} step={step} />
      <Chart points={data} series={WRITTEN} step={step} />
    </Panel>
  );
}
