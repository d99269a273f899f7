import { api, dataOf } from '../../api.ts';
import { useRepeated } from '../../attended.ts';
import { useList } from '../../load.ts';
import { addressOf } from '../../router.ts';
import { Empty } from '../../ui/empty.tsx';
import { Header } from '../../ui/page.tsx';
import { ListFoot, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/text.tsx';
import { type BulkJob, Counts, State, titleOf, Which } from './state.tsx';

const RELOADED_EVERY = 3000;

export function List() {
  const list = useList<BulkJob>(async (cursor, signal) => {
    const query = { limit: 50, ...(cursor && { cursor }) };
    const { bulk_jobs, next_cursor } = await dataOf(
      api.GET('/api/v1/bulk-jobs', { params: { query }, signal }),
    );
    return { rows: bulk_jobs, next: next_cursor };
  }, []);
  useRepeated(() => {
    if (!list.busy && list.rows.some(({ ended_at }) => !ended_at)) list.reload();
  }, RELOADED_EVERY);
  return (
    <>
      <Header title="Jobs" about="Jobs go on without this page, and stay 30 days." />
      <Table
        list={list}
        empty={<Empty title="There are no jobs">Select user groups to begin one.</Empty>}
        label="Jobs"
        head={['Job', 'State', ['Which groups'], ['By'], ['Created']]}
        bones={3}
      >
        {list.rows.map((job) => (
          <tr key={job.id}>
            <td>
              <a class="row-link" data-row href={addressOf(['jobs', job.id])}>
                {titleOf(job)}
              </a>
              <span class="cell-sub">
                <Counts job={job} />
              </span>
            </td>
            <td>
              <State job={job} />
            </td>
            <td class="roomy">
              <Which job={job} />
            </td>
            <td class="roomy">{job.created_by.name}</td>
            <td class="roomy">
              <Time at={job.created_at} />
            </td>
          </tr>
        ))}
      </Table>
      {(list.more ?? list.error) && <ListFoot list={list} what="jobs" />}
    </>
  );
}
