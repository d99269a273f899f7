import { dataOf, api } from '../../api.ts';
import { useLoad } from '../../load.ts';
import { addressOf } from '../../router.ts';
import { may } from '../../session.ts';
import { Empty } from '../../ui/empty.tsx';
import { notify } from '../../ui/notices.tsx';
import { Text, Time } from '../../ui/text.tsx';
import { History } from './history/history.tsx';
import { isAbsence } from './resource.ts';

/** Replaces the page of a missing group: says whether there was one, and offers to restore it. */
export function Absent({ id, onRestored }: { id: string; onRestored: () => void }) {
  /** Whether versions of it are kept. */
  const history = useLoad(async (signal) => {
    const call = api.GET('/api/v1/user-groups/{id}/versions', {
      params: { path: { id }, query: { limit: 1 } },
      signal,
    });
    try {
      return (await dataOf(call)).versions.length > 0;
    } catch (error) {
      if (isAbsence(error)) return false;
      throw error;
    }
  }, []);
  const { data: deletion } = useLoad(async (signal) => {
    if (!may('audit:read')) return undefined;
    const query = {
      types: 'user_group.delete',
      object_type: 'user_group',
      object_id: id,
      limit: 1,
    };
    const call = api.GET('/api/v1/audit-events', { params: { query }, signal });
    return (await dataOf(call)).audit_events[0];
  }, []);
  return (
    <>
      <Empty
        title={
          <>
            There is no group{' '}
            <code>
              <Text>{id}</Text>
            </code>
          </>
        }
      >
        {deletion ? (
          <>
            It was deleted <Time at={deletion.occurred_at} />.{' '}
            <a href={addressOf(['audit'], { object_type: 'user_group', object_id: id })}>
              Audit log
            </a>
          </>
        ) : (
          !history.data && 'The id may be misspelled: it is compared letter by letter.'
        )}
      </Empty>
      {history.data && (
        <History
          id={id}
          present={undefined}
          onRestored={() => {
            notify('Restored. The group has a new token');
            onRestored();
          }}
          onRefresh={onRestored}
        />
      )}
    </>
  );
}
