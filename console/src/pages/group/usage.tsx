import { api, dataOf } from '../../api.ts';
import { useLoad } from '../../load.ts';
import { Chart, type Series } from '../../ui/chart.tsx';
import { Panel } from '../../ui/page.tsx';
import { Trouble } from '../../ui/trouble.tsx';

const SERIES: Series<'views' | 'embed_tokens'>[] = [
  { key: 'views', name: 'Views', tone: 'accent' },
  { key: 'embed_tokens', name: 'Embed tokens', tone: 'good' },
];

/** A chart of what a group has used in the last days. */
export function Usage({ id }: { id: string }) {
  const { data, error, reload } = useLoad(
    async (signal) => {
      const params = { path: { id } };
      const call = api.GET('/api/v1/user-groups/{id}/usage', { params, signal });
      return (await dataOf(call)).usage.map((one) => ({ ...one, at: `${one.period}T00:00Z` }));
    },
    [id],
  );
  return (
    <Panel title="Usage" about="The last 30 days of UTC. Views are those that renderers report.">
      <Trouble error={error} retry={reload} />
      <Chart points={data} series={SERIES} step="day" />
    </Panel>
  );
}
