import { useEffect, useState } from 'preact/hooks';
import { api, dataOf } from '../../api.ts';
import { useAction } from '../../ui/action.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { ResponseText, Message } from './message.tsx';
import { type Attempt, type Endpoint, Outcome } from './state.tsx';

/** Sends a test event as it opens, and shows the response. */
export function TestEvent({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const [attempt, setAttempt] = useState<Attempt>();
  const { busy, error, run } = useAction(async () => {
    setAttempt(undefined);
    const params = { path: { id: endpoint.id } };
    setAttempt((await dataOf(api.POST('/api/v1/webhook-endpoints/{id}/test', { params }))).attempt);
  });
  useEffect(run, []);
  return (
    <Dialog title="Test event" onClose={onClose}>
      <div class="form">
        <div class="words" aria-live="polite">
          {busy && (
            <p>
              <span class="spinner" /> Waiting for the endpoint, at most 15 seconds…
            </p>
          )}
          {attempt && (
            <p>
              {attempt.delivery === 'delivered'
                ? 'The endpoint took it: '
                : 'The endpoint did not take it: '}
              <Outcome attempt={attempt} />
            </p>
          )}
        </div>
        <Trouble error={error} />
        {attempt && (
          <div class="message">
            <h3>Response</h3>
            <ResponseText attempt={attempt} />
            <Message attempt={attempt} endpoint={endpoint} />
          </div>
        )}
        <p class="hint">
          Only this endpoint gets a test event, once. A failure is not retried, and does not disable
          the endpoint.
        </p>
        <div class="dialog-foot">
          <Button busy={busy} onClick={run}>
            Send again
          </Button>
          <Button kind="main" onClick={onClose}>
            Close
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
