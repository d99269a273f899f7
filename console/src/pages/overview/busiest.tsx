import { api, dataOf } from '../../api.ts';
import { useRepeated } from '../../attended.ts';
import { useLoad } from '../../load.ts';
import { addressOf } from '../../router.ts';
import { Panel } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Text } from '../../ui/text.tsx';
import { Trouble } from '../../ui/trouble.tsx';

/** Time after which a service writes its counts, in milliseconds. */
const WRITTEN_AFTER = 60_000;

/** The groups with the most views in this month, if there is any usage. */
export function Busiest() {
  const { data, error, reload } = useLoad(async (signal) => {
    const query = { by: 'group' as const, limit: 10 };
    return (await dataOf(api.GET('/api/v1/usage', { params: { query }, signal }))).usage;
  }, []);
  useRepeated(reload, WRITTEN_AFTER);
  if (!data?.length) return <Trouble error={error} retry={reload} />;
  const head = ['Views', 'Embed tokens'].map((name) => <th class="number">{name}</th>);
  return (
    <Panel title="Busiest user groups" about="This month in UTC" flush>
      <Table label="Busiest user groups" head={['User group', ...head]}>
        {data.map(({ team_id, provided_id: id, name, views, embed_tokens }) => (
          <tr key={team_id}>
            <td>
              {id ? (
                <a class="row-link" data-row href={addressOf(['groups', id])}>
                  <Text>{name!}</Text>
                </a>
              ) : (
                <span class="none">deleted, internal no. {team_id}</span>
              )}
            </td>
            <td class="number">{views.toLocaleString()}</td>
            <td class="number">{embed_tokens.toLocaleString()}</td>
          </tr>
        ))}
      </Table>
    </Panel>
  );
}
