import { useState } from 'preact/hooks';
import { api, dataOf } from '../../api.ts';
import { useRepeated } from '../../attended.ts';
import { useLoad } from '../../load.ts';
import { addressOf, goTo } from '../../router.ts';
import { may } from '../../session.ts';
import { useAction } from '../../ui/action.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Skeleton } from '../../ui/empty.tsx';
import { Fact, Facts, Header, Panel } from '../../ui/page.tsx';
import { Time } from '../../ui/text.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import { Refused } from './refused.tsx';
import { countOfGroups, Counts, State, titleOf, Which } from './state.tsx';

const RELOADED_EVERY = 1000;

/** Shows one job, wherever it was created. */
export function Job({ id }: { id: number }) {
  const params = { path: { id } };
  const { data, error, busy, reload } = useLoad(
    async (signal) =>
      (await dataOf(api.GET('/api/v1/bulk-jobs/{id}', { params, signal }))).bulk_job,
    [id],
  );
  useRepeated(() => {
    if (!busy && data && !data.ended_at) reload();
  }, RELOADED_EVERY);
  const cancel = useAction(async () => {
    await dataOf(api.POST('/api/v1/bulk-jobs/{id}/cancel', { params }));
    reload();
  });
  const [isUndoing, setUndoing] = useState(false);
  const up = { address: addressOf(['jobs']), name: 'Jobs' };
  if (!data) {
    return (
      <>
        <Header up={up} title={`Job ${id}`} />
        {error ? <Trouble error={error} retry={reload} /> : <Skeleton lines={6} />}
      </>
    );
  }
  const writes = may('user-groups:write');
  const { undo_until, undone_by, failure, total, done, created, changed } = data;
  const isImport = data.action === 'import';
  return (
    <>
      <Header up={up} title={titleOf(data)}>
        {writes && !data.ended_at && (
          <Button busy={cancel.busy} onClick={cancel.run}>
            Cancel
          </Button>
        )}
        {writes && undo_until && Date.parse(undo_until) > Date.now() && (
          <Button
            onClick={() => {
              setUndoing(true);
            }}
          >
            Undo
          </Button>
        )}
      </Header>
      <Trouble error={cancel.error ?? error} />
      <Panel>
        <div aria-live="polite">
          {!data.ended_at && (
            <progress {...(total !== null && { max: total, value: done })} aria-label="Progress" />
          )}
          <p>
            <State job={data} /> <Counts job={data} />
          </p>
          {failure && <p>{failure.detail}</p>}
          {!data.ended_at && <Waiting at={done} />}
        </div>
        <Facts>
          <Fact name="Which groups">
            <Which job={data} />
          </Fact>
          <Fact name="By">{data.created_by.name}</Fact>
          <Fact name="Created">
            <Time at={data.created_at} />
          </Fact>
          <Fact name="Ended">
            <Time at={data.ended_at} />
          </Fact>
          {(undo_until ?? undone_by) && (
            <Fact name="Undo">
              {undone_by ? (
                <a href={addressOf(['jobs', undone_by])}>by job {undone_by}</a>
              ) : (
                <>
                  until <Time at={undo_until} />
                </>
              )}
            </Fact>
          )}
        </Facts>
      </Panel>
      {data.refused > 0 && <Refused job={data} />}
      {isUndoing && (
        <Confirm
          title="Undo"
          submit={{ suspend: 'Resume', resume: 'Suspend' }[data.action] ?? 'Undo'}
          {...(isImport && created > 0 && { typed: String(created) })}
          onClose={() => {
            setUndoing(false);
          }}
          onSubmit={async () => {
            const { bulk_job } = await dataOf(api.POST('/api/v1/bulk-jobs/{id}/undo', { params }));
            goTo(addressOf(['jobs', bulk_job.id]));
          }}
        >
          <p>{titleOf(data)}</p>
          {isImport && (
            <p>
              Deletes {countOfGroups(created)} that it created, with all tokens, and gives{' '}
              {countOfGroups(changed)} the version before.
            </p>
          )}
        </Confirm>
      )}
    </>
  );
}
