import { useEffect, useRef, useState } from 'preact/hooks';
import { followEvents } from '../../follow-events.ts';
import { may } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { span, Text } from '../../ui/text.tsx';
import { isAbsence, read } from './resource.ts';
import { whoChanged } from './who.ts';

/** A change of the page itself is shown by then. */
const WAITED = 700;
const TICK = 5000;

interface Change {
  at: string;
  who: string;
  isDeletion: boolean;
}

/** Everything that can change the group, its tokens, or what the workspace makes of them. */
const TYPES = 'user_group.*,user_group_token.*,workspace.*,schema.*,data_source.*';

/** Tells of changes that the page does not show yet, as soon as the event stream does. */
export function Live({
  id,
  etag,
  onToken,
  onRules,
  onShow,
}: {
  id: string;
  /** The version of the group that the page shows. */
  etag: string;
  /** Runs when the tokens of the group have changed, which no ETag tells. */
  onToken: () => void;
  /** Runs when something of the whole workspace has changed, which can give the group another status. */
  onRules: () => void;
  onShow: () => void;
}) {
  const [change, setChange] = useState<Change>();
  const [, setNow] = useState(0);
  const shown = useRef(etag);
  const react = useRef({ onToken, onRules });
  react.current = { onToken, onRules };
  useEffect(() => {
    shown.current = etag;
    setChange(undefined);
  }, [etag]);
  useEffect(() => {
    if (!may('events:read')) return undefined;
    const ending = new AbortController();
    const { signal } = ending;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let latest = '';
    const look = async () => {
      const now = await read(id, signal).catch((error: unknown) => {
        if (isAbsence(error)) return undefined;
        throw error;
      });
      if (now?.etag === shown.current) return;
      const who = await whoChanged(id, signal).catch(() => '');
      if (!signal.aborted) setChange({ at: latest, who, isDeletion: now === undefined });
    };
    const later = (at: string) => {
      latest = at;
      clearTimeout(timer);
      timer = setTimeout(() => {
        // The next event looks again.
        look().catch(() => undefined);
      }, WAITED);
    };
    const last = { current: '' };
    let isFirst = true;
    let following: AbortController | undefined;
    const follow = () => {
      following?.abort();
      // A browser has few connections for all its tabs.
      if (document.hidden) return;
      following = new AbortController();
      void followEvents({
        types: TYPES,
        last,
        signal: AbortSignal.any([signal, following.signal]),
        onOpen: () => {
          if (!isFirst) {
            // Something may have happened while the stream was disconnected.
            react.current.onRules();
            later(new Date().toISOString());
          }
          isFirst = false;
        },
        onEvent: ({ type, user_group: group, occurred_at }) => {
          if (!group) react.current.onRules();
          else if (group.provided_id !== id) return;
          else if (type.startsWith('user_group_token.')) react.current.onToken();
          else later(occurred_at);
        },
        onClose: () => undefined,
      });
    };
    follow();
    document.addEventListener('visibilitychange', follow);
    return () => {
      document.removeEventListener('visibilitychange', follow);
      ending.abort();
      clearTimeout(timer);
    };
  }, [id]);
  useEffect(() => {
    if (!change) return undefined;
    const ticking = setInterval(() => {
      setNow((count) => count + 1);
    }, TICK);
    return () => clearInterval(ticking);
  }, [change]);
  return (
    <div role="status">
      {change && (
        <p class="note live">
          <span>
            {change.isDeletion ? 'Deleted' : 'Changed'} {span(change.at)} ago
            {change.who && (
              <>
                {' '}
                by <Text>{change.who}</Text>
              </>
            )}
          </span>
          <Button
            onClick={() => {
              setChange(undefined);
              onShow();
            }}
          >
            Show
          </Button>
        </p>
      )}
    </div>
  );
}
