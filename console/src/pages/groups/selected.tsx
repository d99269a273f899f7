import { useEffect, useRef, useState } from 'preact/hooks';
import { fetchOk } from '../../api.ts';
import { linesOf } from '../../ndjson.ts';
import type { Schemas } from '../../own-types.ts';
import { save } from '../../save.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, Question } from '../../ui/dialog.tsx';
import { notify } from '../../ui/notices.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { Waiting } from '../../ui/waiting.tsx';

export type Act = 'suspend' | 'resume' | 'rotate' | 'delete';
type Refused = Schemas['RefusedUserGroupLine'];
type Result = Schemas['ChangedUserGroupLine'] | Refused;
type Line = Schemas['BulkChangeStarted'] | Result | Schemas['BulkChangeSummary'];

/** An action for groups that were selected one by one. */
export interface Selected {
  act: Act;
  ids: string[];
  graceSeconds?: number;
}

/** The maximum of the API. */
const IDS_AT_ONCE = 1000;
const SHOWN = 200;

const DOING: Record<Act, [doing: string, done: string]> = {
  suspend: ['Suspending', 'suspended'],
  resume: ['Resuming', 'resumed'],
  rotate: ['Rotating the tokens of', 'rotated'],
  delete: ['Deleting', 'deleted'],
};
const BACK: Partial<Record<Act, Act>> = { suspend: 'resume', resume: 'suspend' };

/** Does an action for the selected groups, shows how far it is, and offers its report. */
export function SelectedDialog({
  job,
  onClose,
  onBack,
}: {
  job: Selected;
  onClose: () => void;
  onBack: (job: Selected) => void;
}) {
  const [results, setResults] = useState<ReadonlyMap<string, Result>>(new Map());
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(true);
  /** Whether it has ended before all groups had their result. */
  const [isCut, setCut] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const [at, setAt] = useState(0);
  const startedAt = useRef('');
  const ending = useRef<AbortController>(null);

  const run = async () => {
    const { signal } = (ending.current = new AbortController());
    const all = new Map(results);
    setBusy(true);
    setCut(false);
    setError(undefined);
    try {
      const left = job.ids.filter((id) => !all.has(id));
      for (let from = 0; from < left.length; from += IDS_AT_ONCE) {
        const ids = left.slice(from, from + IDS_AT_ONCE);
        const rotation = job.act === 'rotate' && {
          grace_period_seconds: job.graceSeconds ?? 0,
          // A token that this job has issued stays.
          ...(startedAt.current && { issued_before: startedAt.current }),
        };
        const response = await fetchOk('api/v1/user-groups/actions', {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ action: job.act, ids, ...rotation }),
          signal,
        });
        for await (const line of linesOf<Line>(response)) {
          if ('started' in line) startedAt.current ||= line.started.started_at;
          else if ('provided_id' in line) {
            const before = all.get(line.provided_id);
            // The second attempt must not hide the token of the first.
            if (!before || before.success === 0) all.set(line.provided_id, line);
          }
          if (all.size % 100 === 0 || 'summary' in line) {
            setResults(new Map(all));
            setAt(Date.now());
          }
        }
      }
    } catch (reason) {
      setResults(new Map(all));
      setError(signal.aborted ? undefined : reason);
      setCut(true);
    }
    setBusy(false);
  };
  useEffect(() => {
    void run();
    // The next session may be of another workspace.
    return () => ending.current?.abort();
  }, []);

  const lines = [...results.values()];
  const refused = lines.filter((line): line is Refused => line.success === 0);
  const changed = lines.filter((line) => line.success === 1 && line.result === 'changed');
  const [doing, done] = DOING[job.act];
  const back = BACK[job.act];
  const count = job.ids.length.toLocaleString();
  const stopped = `Stopped after ${lines.length.toLocaleString()} of ${count}`;
  const stop = () => {
    setAsking(false);
    ending.current?.abort();
  };
  const close = () => {
    if (busy) {
      setAsking(!isAsking);
      return;
    }
    if (isCut) notify(stopped, 'warning');
    onClose();
  };
  return (
    <Dialog
      wide
      title={`${doing} ${count} user group${job.ids.length === 1 ? '' : 's'}`}
      onClose={close}
      isHeld={() => busy}
    >
      <div class="form">
        <div aria-live="polite">
          {busy && <progress max={job.ids.length} value={lines.length} aria-label={done} />}
          <p>
            {changed.length.toLocaleString()} {done},{' '}
            {(lines.length - changed.length - refused.length).toLocaleString()} unchanged,{' '}
            {refused.length.toLocaleString()} refused
          </p>
          {busy && <Waiting at={at} />}
          {isCut && <p>{stopped}.</p>}
        </div>
        <Trouble error={error} />
        {refused.length > 0 && (
          <div class="json report" role="region" aria-label="Refused groups" tabIndex={0}>
            {refused.slice(0, SHOWN).map((line) => (
              <p key={line.provided_id}>
                <code>{line.provided_id}</code> <span class="cell-sub">{line.detail}</span>
              </p>
            ))}
            {refused.length > SHOWN && (
              <p>And {(refused.length - SHOWN).toLocaleString()} more, in the report.</p>
            )}
          </div>
        )}
        {!busy && job.act === 'rotate' && changed.length > 0 && (
          <p>
            The report has the new tokens, so it is a secret. A token can also be revealed on the
            page of its group.
          </p>
        )}
        {busy && isAsking ? (
          <Question
            words="It still runs. Stop it?"
            stay="Go on"
            leave="Stop"
            onStay={() => {
              setAsking(false);
            }}
            onLeave={stop}
          />
        ) : (
          <div class="dialog-foot">
            {!busy && lines.length > 0 && (
              <Button
                onClick={() => {
                  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
                  save(`${job.act}.ndjson`, new Blob([text]));
                }}
              >
                Save the report
              </Button>
            )}
            {!busy && back && changed.length > 0 && (
              <Button
                onClick={() => {
                  onBack({ act: back, ids: changed.map((line) => line.provided_id) });
                }}
              >
                Undo
              </Button>
            )}
            {isCut && (
              <Button kind="main" onClick={() => void run()}>
                Go on
              </Button>
            )}
            <Button kind={busy || isCut ? undefined : 'main'} onClick={busy ? stop : close}>
              {busy ? 'Stop' : 'Done'}
            </Button>
          </div>
        )}
      </div>
    </Dialog>
  );
}
