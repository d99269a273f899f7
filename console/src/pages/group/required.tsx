import type { Schemas } from '../../own-types.ts';
import { Panel } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Badge } from '../../ui/text.tsx';
import { lackOf, pointerOf } from '../../ui/status.tsx';

/** Shows what the workspace requires, and what the service finds missing. */
export function Required({
  group,
  workspace: { variables, required_schemas: schemas },
}: {
  group: Schemas['UserGroup'];
  workspace: Schemas['Workspace'];
}) {
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
      <Table label="What the workspace requires" head={['Name', 'Kind', 'State']}>
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
