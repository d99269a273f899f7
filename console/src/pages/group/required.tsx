import { api, dataOf } from '../../api.ts';
import { useLoad } from '../../load.ts';
import type { Schemas } from '../../own-types.ts';
import { Panel } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Badge } from '../../ui/text.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { lackOf, pointerOf } from '../../ui/status.tsx';

/** Shows what the workspace requires, and what the service finds missing. */
export function Required({ group }: { group: Schemas['UserGroup'] }) {
  const { data, error } = useLoad(
    async (signal) => (await dataOf(api.GET('/api/v1/workspace', { signal }))).workspace,
    [],
  );
  if (error) return <Trouble error={error} />;
  if (!data) return null;
  const { variables, required_schemas: schemas } = data;
  const rows = [
    ...variables.map(({ name, type, source, required }) => {
      const pointer = pointerOf('properties', ...name.split('.'));
      return { name, kind: type, required: required && source !== 'token', pointer };
    }),
    ...schemas.map((name) => {
      return {
        name,
        kind: 'schema in the mapping',
        required: true,
        pointer: pointerOf('mapping', name),
      };
    }),
  ]
    .map((row) => ({ ...row, state: lackOf(group, row.pointer) }))
    .filter(({ required, state }) => required === true || state);
  if (rows.length === 0) return null;
  return (
    <Panel title="Required" flush>
      <Table
        label="What the workspace requires"
        head={
          <>
            <th>Name</th>
            <th>Kind</th>
            <th>State</th>
          </>
        }
      >
        {rows.map(({ name, kind, state }) => (
          <tr key={kind + name}>
            <td>
              <code>{name}</code>
            </td>
            <td>{kind}</td>
            <td>
              {state ? <Badge tone="bad">{state}</Badge> : <Badge tone="good">present</Badge>}
            </td>
          </tr>
        ))}
      </Table>
    </Panel>
  );
}
