import { useEffect, useMemo, useState } from 'preact/hooks';
import { dataOf, api } from '../../api.ts';
import type { Schemas } from '../../own-types.ts';
import { addressOf, goTo } from '../../router.ts';
import { may } from '../../session.ts';
import { useAction } from '../../ui/action.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { GraceChoice } from '../../ui/grace.tsx';
import { notify } from '../../ui/notices.tsx';
import { countOfGroups } from '../jobs/state.tsx';
import { saveGroups } from './export.tsx';

type Act = 'suspend' | 'resume' | 'rotate' | 'delete';

/** The button of each action, the beginning of its question, and what it does to the groups. */
const ACTIONS: Record<Act, [button: string, title: string, submit: string, effect: string]> = {
  suspend: [
    'Suspend',
    'Suspend',
    'Suspend',
    'Dashboards of these groups stop at once, until the groups are resumed.',
  ],
  resume: [
    'Resume',
    'Resume',
    'Resume',
    'Tokens of these groups work again at once, unless something else makes the groups inactive.',
  ],
  rotate: [
    'Rotate tokens',
    'Rotate the tokens of',
    'Rotate',
    'Each group gets another token. Your backend gets it with its next call of /api/user.',
  ],
  delete: [
    'Delete',
    'Delete',
    'Delete for good',
    'They and their tokens will be deleted for good. Suspend them to stop them for a while.',
  ],
};

const namesOf = (count: number | undefined) =>
  count === undefined ? 'all user groups that match' : countOfGroups(count);

/**
 * The actions for the selected groups, and for all that match.
 * @param filters those of the list, if it has more groups than are selected
 */
export function Bulk({
  groups,
  filters,
  isWhole,
  onClear,
  onDone,
}: {
  groups: Schemas['UserGroup'][];
  filters: Record<string, string> | undefined;
  /** Whether all that match are selected from the beginning. */
  isWhole: boolean;
  onClear: () => void;
  onDone: () => void;
}) {
  const [act, setAct] = useState<Act>();
  const [graceSeconds, setGrace] = useState(3600);
  const key = useMemo(() => crypto.randomUUID(), [act]);
  /** The filters of all that match, once they are selected. */
  const [all, setAll] = useState<{ filters: Record<string, string>; count: number | undefined }>();
  const ids = groups.map(({ provided_id }) => provided_id);
  useEffect(() => {
    setAll(undefined);
  }, [ids.join('\n')]);
  const selectAll = useAction(async () => {
    if (!filters) return;
    const query = { ...filters, limit: 1, count: true } as const;
    const { total } = await dataOf(api.GET('/api/v1/user-groups', { params: { query } }));
    setAll({ filters, count: total?.exact ? total.count : undefined });
  });
  useEffect(() => {
    if (isWhole) selectAll.run();
  }, []);
  const count = all ? all.count : groups.length;
  const names = namesOf(count);
  const begin = async (action: Act) => {
    const query = all?.filters ?? {};
    const { bulk_job } = await dataOf(
      api.POST('/api/v1/bulk-jobs', {
        params: { query, header: { 'Idempotency-Key': `${key}-${action}-${graceSeconds}` } },
        body: {
          action,
          ...(!all && { ids }),
          ...(all && Object.keys(query).length === 0 && { all: true }),
          ...(action === 'rotate' && { grace_period_seconds: graceSeconds }),
        },
      }),
    );
    onDone();
    goTo(addressOf(['jobs', bulk_job.id]));
    notify('The job goes on without this page');
    setAct(undefined);
  };
  const buttonOf = (one: Act, kind?: 'danger') => (
    <Button
      kind={kind}
      onClick={() => {
        setAct(one);
      }}
    >
      {ACTIONS[one][0]}
    </Button>
  );
  return (
    <div class="bulk" role="region" aria-label="What is selected">
      <strong>
        {names} selected
        {filters && !all && (
          <Button kind="quiet" busy={selectAll.busy} onClick={selectAll.run}>
            Select all that match
          </Button>
        )}
      </strong>
      {buttonOf('suspend')}
      {buttonOf('resume')}
      {may('tokens:rotate') && buttonOf('rotate')}
      {!all && (
        <Button
          onClick={() => {
            saveGroups(groups);
          }}
        >
          Export
        </Button>
      )}
      {buttonOf('delete', 'danger')}
      <Button kind="quiet" onClick={onClear}>
        Clear
      </Button>
      {act && (
        <Confirm
          title={`${ACTIONS[act][1]} ${names}`}
          submit={ACTIONS[act][2]}
          {...(act === 'delete' && { typed: String(count ?? 'delete') })}
          onClose={() => {
            setAct(undefined);
          }}
          onSubmit={() => begin(act)}
        >
          <p>{ACTIONS[act][3]}</p>
          {act === 'rotate' && (
            <GraceChoice legend="The old tokens end" value={graceSeconds} onChange={setGrace} />
          )}
        </Confirm>
      )}
    </div>
  );
}
