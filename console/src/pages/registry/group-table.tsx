import type { ComponentChildren } from 'preact';
import { type Listed, useList } from '../../load.ts';
import type { Schemas } from '../../own-types.ts';
import { addressOf } from '../../router.ts';
import { wordsOf } from '../../ui/status.tsx';
import { ListFoot, Table } from '../../ui/table.tsx';
import { Text } from '../../ui/text.tsx';

export interface NamedGroup {
  team_id: number;
  provided_id: string;
  errors?: Schemas['FieldError'][];
}

interface GroupPage {
  user_groups: NamedGroup[];
  next_cursor?: string;
}

/** A list of the API that contains groups; loads when `inputs` change. */
export function useGroups(
  call: (query: { limit: number; cursor?: string }, signal: AbortSignal) => Promise<GroupPage>,
  inputs: unknown[],
): Listed<NamedGroup> {
  return useList(async (cursor, signal) => {
    const response = await call({ limit: 200, ...(cursor && { cursor }) }, signal);
    return { rows: response.user_groups, next: response.next_cursor };
  }, inputs);
}

/** Groups with their problems, if any; `children` if there are no groups. */
export function GroupTable({
  list,
  label,
  flawed = false,
  shown = Infinity,
  children,
}: {
  list: Listed<NamedGroup>;
  label: string;
  flawed?: boolean;
  /** Maximum of rows in the table. */
  shown?: number;
  children: ComponentChildren;
}) {
  if (!list.fresh && !list.more && list.rows.length === 0) {
    return list.error ? <ListFoot list={list} what="user groups" /> : <>{children}</>;
  }
  return (
    <>
      <Table label={label} list={list} head={['User group', flawed && 'What is wrong']} bones={3}>
        {list.rows.slice(0, shown).map(({ team_id, provided_id, errors }) => (
          <tr key={team_id}>
            <td>
              <a class="row-link" data-row href={addressOf(['groups', provided_id])}>
                <Text>{provided_id}</Text>
              </a>
            </td>
            {flawed && (
              <td>
                {errors?.map((one) => (
                  <span key={`${one.pointer} ${one.code}`} class="cell-sub">
                    <Text>{wordsOf(one)}</Text>
                  </span>
                ))}
              </td>
            )}
          </tr>
        ))}
      </Table>
      {(list.more ?? list.error) && <ListFoot list={list} what="user groups" />}
    </>
  );
}
