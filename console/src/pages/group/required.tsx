import { api, answerOf } from '../../api.ts';
import { each, useLoad } from '../../load.ts';
import type { Schemas } from '../../own-types.ts';
import { Panel } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Badge } from '../../ui/text.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { isNamedByNumber } from './named.ts';

function fits(value: unknown, type: string): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === type;
}

export function Required({ group }: { group: Schemas['UserGroup'] }) {
  const { mapping } = group;
  const { data, error } = useLoad(
    async (signal) => {
      const { workspace } = await answerOf(api.GET('/api/v1/workspace', { signal }));
      const absent = workspace.required_schemas.filter((id) => !Object.hasOwn(mapping, id));
      if (workspace.mapping_policy === 'open') return { ...workspace, absent };
      const isNamed = await each(absent, (id) => isNamedByNumber(mapping, id, signal));
      return { ...workspace, absent: absent.filter((_, index) => !isNamed[index]) };
    },
    [JSON.stringify(mapping)],
  );
  if (error) return <Trouble error={error} />;
  if (!data) return null;
  const { required_properties: properties, required_schemas: schemas, absent } = data;
  if (properties.length + schemas.length === 0) return null;
  const rows = [
    ...properties.map(({ name, type }) => ({
      name,
      kind: type,
      state: !Object.hasOwn(group.properties, name)
        ? 'missing'
        : fits(group.properties[name], type)
          ? ''
          : `not ${type}`,
    })),
    ...schemas.map((name) => ({ name, kind: 'schema in the mapping', state: absent.includes(name) ? 'missing' : '' })),
  ];
  const lacking = rows.filter(({ state }) => state).length;
  return (
    <Panel
      title="Required"
      about={
        lacking > 0
          ? `${lacking} missing: tokens of this group are inactive until a write gives it what it lacks.`
          : 'The group has everything that the workspace asks for.'
      }
      flush
    >
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
            <td>{state ? <Badge tone="bad">{state}</Badge> : <Badge tone="good">there</Badge>}</td>
          </tr>
        ))}
      </Table>
    </Panel>
  );
}
