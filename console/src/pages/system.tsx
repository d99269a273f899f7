import { api, fetchOk, type Refusal, dataOf } from '../api.ts';
import { useLoad } from '../load.ts';
import { Skeleton } from '../ui/empty.tsx';
import { Header, Panel } from '../ui/page.tsx';
import { Badge, Time } from '../ui/text.tsx';
import { Trouble } from '../ui/trouble.tsx';

type Value = string | number | boolean | null | Value[] | { [name: string]: Value };

/** Replacements for names of the API that say too little. */
const NAMES: Record<string, string> = {
  node: 'Node.js',
  change_feed: 'How this replica learns of changes',
  lease_up: 'Cache',
  channel_up: 'Live updates',
  rewrap_remaining: 'Old encryption key in use',
  audit_days: 'Audit log kept for',
  history_days: 'Past states of groups kept for',
  webhook_days: 'Webhooks can be replayed for',
  body_bytes: 'Largest request',
};
const words = (name: string) =>
  NAMES[name] ?? name.replace(/_(days|hours)$/, 's_kept_for').replaceAll('_', ' ');

/** Zero removes a limit. */
function count(name: string, value: number): string {
  const [, unit] = /_(minute|days|hours|bytes)$/.exec(name) ?? [];
  if (unit && value === 0) return 'no limit';
  if (unit === 'bytes') return `${(value / 1024).toLocaleString()} KiB`;
  return unit && unit !== 'minute' ? `${value.toLocaleString()} ${unit}` : value.toLocaleString();
}
const isMoment = (value: Value): value is string =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value);

/** Shows a part that a later version adds as it is. */
export default function System() {
  const { data, error, reload } = useLoad(
    async (signal) => (await dataOf(api.GET('/api/v1/system', { signal }))).system,
    [],
  );
  const entries = Object.entries<Value>({ ...data });
  const simple = entries.filter(([, value]) => typeof value !== 'object' || value === null);
  const parts = entries.filter(([, value]) => typeof value === 'object' && value !== null);
  return (
    <>
      <Header
        title={
          <>
            System <Health />
          </>
        }
        about="The version, its database, keys and replicas."
      />
      <Trouble error={error} retry={reload} />
      {!data && !error && <Skeleton lines={8} />}
      <div class="stacked">
        {simple.length > 0 && (
          <Panel title="Service">
            <Plain value={Object.fromEntries(simple)} />
          </Panel>
        )}
        {parts.map(([name, value]) => (
          <Panel key={name} title={<span class="sentence">{words(name)}</span>}>
            <Plain value={value} />
          </Panel>
        ))}
      </div>
    </>
  );
}

/** Tells whether the responding process is ready. */
function Health() {
  const { data, error } = useLoad((signal) => fetchOk('../health/ready', { signal }), []);
  if (data) return <Badge tone="good">ready</Badge>;
  if (!error) return null;
  const { code, detail } = (error as Refusal).problem;
  // A proxy may block the path.
  if (!code) return null;
  return (
    <Badge tone="bad" title={detail ?? ''}>
      {code.replaceAll('_', ' ')}
    </Badge>
  );
}

function Plain({ name = '', value }: { name?: string; value: Value }) {
  if (value === null) return <span class="none">–</span>;
  if (isMoment(value)) return <Time at={value} />;
  if (typeof value === 'boolean') return <>{value ? 'yes' : 'no'}</>;
  if (typeof value === 'number') return <>{count(name, value)}</>;
  if (typeof value !== 'object') return <>{value}</>;
  if (Array.isArray(value)) {
    if (value.length === 0) return <span class="none">none</span>;
    return (
      <ul class="plain-list">
        {value.map((one, index) => (
          <li key={index}>
            <Plain value={one} />
          </li>
        ))}
      </ul>
    );
  }
  return (
    <dl class="listed">
      {Object.entries(value).map(([name, one]) => (
        <div key={name}>
          <dt class="sentence">{words(name)}</dt>
          <dd>
            <Plain name={name} value={one} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
