import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { api, dataOf } from '../../api.ts';
import { groupCall } from '../../curl.ts';
import { membersOf } from '../../json-text.ts';
import { useLoad } from '../../load.ts';
import type { Schemas } from '../../own-types.ts';
import { may } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { CopyCurl } from '../../ui/copy.tsx';
import { Skeleton } from '../../ui/empty.tsx';
import { Panel } from '../../ui/page.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { EmbedToken } from './embed-token.tsx';
import type { Known } from './resource.ts';
import { Sight } from './sight.tsx';

/** Shows the response that a renderer gets for the group now, and the embed token that it asks with. */
export function View({
  known,
  round,
  way,
}: {
  known: Known;
  round: number;
  way: ComponentChildren;
}) {
  const id = known.group.provided_id;
  const [isIssuing, setIssuing] = useState(false);
  const { data, error, reload } = useLoad(
    (signal) => readView(id, signal),
    [id, known.etag, round],
  );
  return (
    <Panel
      title="View as tenant"
      about="What a renderer gets for the current token of this group now. Looking here is not counted as use."
      actions={
        <>
          <CopyCurl call={() => groupCall('GET', id, '/view')} />
          {(may('embed-tokens:issue') || may('user-groups:view-as')) && (
            <Button
              onClick={() => {
                setIssuing(true);
              }}
            >
              Issue an embed token
            </Button>
          )}
        </>
      }
      flush
    >
      <Trouble error={error} retry={reload} />
      {!data && !error && <Skeleton lines={5} />}
      {data && (
        <Sight view={data.view} introspection={data.introspection} known={known} way={way} />
      )}
      {isIssuing && (
        <EmbedToken
          id={id}
          onClose={() => {
            setIssuing(false);
          }}
        />
      )}
    </Panel>
  );
}

async function readView(id: string, signal: AbortSignal) {
  const text = await dataOf(
    api.GET('/api/v1/user-groups/{id}/view', { params: { path: { id } }, parseAs: 'text', signal }),
  );
  const { view } = JSON.parse(text) as Schemas['UserGroupViewResponse'];
  return {
    view,
    introspection: membersOf(membersOf(text).get('view') ?? '').get('introspection') ?? '{}',
  };
}
