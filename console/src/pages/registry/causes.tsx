import { api, dataOf } from '../../api.ts';
import { each, type Listed, useLoad } from '../../load.ts';
import { addressOf } from '../../router.ts';
import { may } from '../../session.ts';
import { useAction } from '../../ui/action.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { notify } from '../../ui/notices.tsx';
import { namesOf } from '../../ui/status.tsx';
import { ListFoot, Table } from '../../ui/table.tsx';
import { Text } from '../../ui/text.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import type { NamedGroup } from './group-table.tsx';

interface Cause {
  code: string;
  schema: string;
  /** Ids of the groups that it concerns. */
  groups: string[];
}

interface Missing {
  kind: 'schemas' | 'data-sources';
  id: string;
}

/** Groups whose mapping is read to name the data sources that are missing. */
const SAMPLE = 20;
const SHOWN_GROUPS = 3;

/** The violations of groups by what they have in common, the most frequent first. */
function causesOf(rows: NamedGroup[]): Cause[] {
  const causes = new Map<string, Cause>();
  for (const { provided_id, errors = [] } of rows) {
    for (const { code, pointer = '' } of errors) {
      const schema = namesOf(pointer)[1]!;
      const cause = causes.get(`${code} ${schema}`) ?? { code, schema, groups: [] };
      cause.groups.push(provided_id);
      causes.set(`${code} ${schema}`, cause);
    }
  }
  return [...causes.values()].sort((a, b) => b.groups.length - a.groups.length);
}

async function missingOf({ code, schema, groups }: Cause, signal: AbortSignal): Promise<Missing[]> {
  if (code === 'unknown_schema') return [{ kind: 'schemas', id: schema }];
  if (code !== 'unknown_data_source') return [];
  const named = await each(groups.slice(0, SAMPLE), async (id) => {
    const call = api.GET('/api/v1/user-groups/{id}', { params: { path: { id } }, signal });
    return (await dataOf(call)).user_group.mapping[schema];
  });
  // The service assigns the numbers, so nothing can be registered under a chosen one.
  const ids = named.filter((one) => typeof one === 'string');
  return [...new Set(ids)].map((id) => ({ kind: 'data-sources', id }));
}

async function register(missing: Missing[]): Promise<void> {
  const known = new Map(missing.map((one) => [`${one.kind} ${one.id}`, one]));
  for (const { kind, id } of known.values()) {
    const body = { provided_id: id, name: id };
    if (kind === 'schemas') await dataOf(api.POST('/api/v1/schemas', { body }));
    else await dataOf(api.POST('/api/v1/data-sources', { body }));
  }
  notify(`Registered: ${[...known.values()].map(({ id }) => id).join(', ')}`);
}

/** Lists the names that are not registered, by cause, each with a way to register it. */
export function Causes({ list, onDone }: { list: Listed<NamedGroup>; onDone: () => void }) {
  const causes = causesOf(list.rows);
  const { data: missing, error } = useLoad(
    (signal) =>
      may('user-groups:read') ? each(causes, (one) => missingOf(one, signal)) : Promise.resolve([]),
    [JSON.stringify(causes)],
  );
  const all = (missing ?? []).flat();
  if (!list.fresh && !list.more && causes.length === 0) {
    if (list.error) return <ListFoot list={list} what="user groups" />;
    return <Empty title="Every mapping could be resolved" />;
  }
  return (
    <>
      <Trouble error={error} />
      <Table
        list={list}
        label="What is not registered"
        head={['Cause', 'User groups', '']}
        bones={3}
      >
        {causes.map((cause, index) => (
          <tr key={`${cause.code} ${cause.schema}`}>
            <td>
              <Words cause={cause} missing={missing?.[index] ?? []} />
            </td>
            <td>
              {cause.groups.length.toLocaleString()}
              {list.more ? ' or more' : ''}
              <span class="cell-sub">
                {cause.groups.slice(0, SHOWN_GROUPS).map((id, place) => (
                  <span key={id}>
                    {place > 0 && ', '}
                    <a href={addressOf(['groups', id])}>
                      <Text>{id}</Text>
                    </a>
                  </span>
                ))}
                {cause.groups.length > SHOWN_GROUPS && ', …'}
              </span>
            </td>
            <td class="tools">
              <Register name="Register" missing={missing?.[index] ?? []} onDone={onDone} />
            </td>
          </tr>
        ))}
      </Table>
      {all.length > 1 && (
        <div class="panel-foot">
          <Register name="Register all" missing={all} onDone={onDone} />
        </div>
      )}
      {(list.more ?? list.error) && <ListFoot list={list} what="user groups" />}
    </>
  );
}

function Words({ cause: { code, schema }, missing }: { cause: Cause; missing: Missing[] }) {
  const key = (
    <code>
      <Text>{schema}</Text>
    </code>
  );
  if (code === 'unknown_schema') return <>The schema {key} is not registered.</>;
  if (code !== 'unknown_data_source') {
    return <>The schema {key} is named by two keys of a mapping.</>;
  }
  return (
    <>
      {missing.length === 0 && 'A data source'}
      {missing.map(({ id }, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <code>
            <Text>{id}</Text>
          </code>
        </span>
      ))}{' '}
      {missing.length > 1 ? 'are' : 'is'} not registered: data{' '}
      {missing.length > 1 ? 'sources' : 'source'} of {key}
    </>
  );
}

function Register({
  name,
  missing,
  onDone,
}: {
  name: string;
  missing: Missing[];
  onDone: () => void;
}) {
  const { busy, error, run } = useAction(async () => {
    try {
      await register(missing);
    } finally {
      onDone();
    }
  });
  if (missing.length === 0 || !may('registry:write')) return null;
  return (
    <>
      <Button busy={busy} onClick={run}>
        {name}
      </Button>
      <Trouble error={error} />
    </>
  );
}
