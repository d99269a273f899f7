import { api, dataOf } from '../../api.ts';
import { useLoad } from '../../load.ts';
import { addressOf, mayBeToken } from '../../router.ts';
import { has, may } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Copy } from '../../ui/copy.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Json } from '../../ui/json.tsx';
import { Fact, Facts, Panel } from '../../ui/page.tsx';
import { Text, Time } from '../../ui/text.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { Mapping } from './mapping.tsx';
import type { Open } from './open-dialog.tsx';
import { Required } from './required.tsx';
import type { Known } from './resource.ts';
import { Tokens } from './tokens.tsx';
import { Usage } from './usage.tsx';

const LONGEST_LIKE = 40;

/** The content of a group, and the way to delete it. */
export function Content({
  known: { group, raw },
  round,
  onChange,
  onOpen,
}: {
  known: Known;
  round: number;
  onChange: (words: string) => Promise<void>;
  onOpen: (dialog: Open) => void;
}) {
  const id = group.provided_id;
  const { data: workspace, error } = useLoad(
    async (signal) =>
      may('registry:read')
        ? (await dataOf(api.GET('/api/v1/workspace', { signal }))).workspace
        : undefined,
    [],
  );
  const edit = (words: string) =>
    may('user-groups:write') && (
      <p>
        <Button
          onClick={() => {
            onOpen('edit');
          }}
        >
          {words}
        </Button>
      </p>
    );
  /** Whether a value is known to be no secret: histories and proxies keep addresses. */
  const isPublic = (property: string) =>
    workspace?.variables.every((one) => !one.is_secret || one.name.split('.')[0] !== property);
  // An address keeps no token; a long text or a fraction is hardly that of other groups.
  const likes = Object.entries(group.properties).filter(
    ([name, value]) =>
      isPublic(name) &&
      (['string', 'boolean'].includes(typeof value) || Number.isSafeInteger(value)) &&
      value !== '' &&
      String(value).length <= LONGEST_LIKE &&
      ![name, String(value)].some(mayBeToken),
  );
  return (
    <>
      <Panel>
        <Facts>
          <Fact name="ID">
            <code>
              <Text>{group.provided_id}</Text>
            </code>{' '}
            <Copy text={group.provided_id} what="the id" />
            {has('rename') && may('user-groups:write') && (
              <Button
                kind="quiet"
                onClick={() => {
                  onOpen('rename');
                }}
              >
                Change
              </Button>
            )}
          </Fact>
          <Fact name="Internal no.">{group.team_id}</Fact>
          <Fact name={group.reasons.some(({ code }) => code === 'expired') ? 'Ended' : 'Ends'}>
            <Time at={group.valid_until} none="never" />
          </Fact>
          <Fact name="Created">
            <Time at={group.created_at} />
          </Fact>
          <Fact name="Last changed">
            <Time at={group.updated_at} />
            {may('audit:read') && (
              <>
                {' '}
                <a href={addressOf(['audit'], { object_type: 'user_group', object_id: id })}>
                  Audit log
                </a>
              </>
            )}
          </Fact>
        </Facts>
      </Panel>
      <Tokens
        group={group}
        round={round}
        onRotate={() => {
          onOpen('rotate');
        }}
        onChange={onChange}
      />
      <div class="columns">
        <Mapping group={group} edit={edit('Add a mapping')} />
        <div>
          <Panel title="Properties" flush>
            {Object.keys(group.properties).length === 0 ? (
              <Empty title="No properties">
                Dashboards of this group have no variables. {edit('Add properties')}
              </Empty>
            ) : (
              <>
                <Json label="Properties" text={raw.get('properties') ?? '{}'} />
                {likes.length > 0 && (
                  <p class="hint panel-body">
                    Groups with the same:
                    {likes.map(([property, value]) => (
                      <span key={property}>
                        {' '}
                        <a href={addressOf(['groups'], { property, value: String(value) })}>
                          <Text>{property}</Text>
                        </a>
                      </span>
                    ))}
                  </p>
                )}
              </>
            )}
          </Panel>
          <Trouble error={error} />
          {workspace && <Required {...{ group, workspace }} />}
        </div>
      </div>
      {has('usage') && may('usage:read') && <Usage id={id} />}
      {may('user-groups:write') && (
        <Panel
          title="Delete this user group"
          about="All its tokens end. To stop its dashboards for a while, suspend it."
          actions={
            <Button
              kind="danger"
              onClick={() => {
                onOpen('delete');
              }}
            >
              Delete
            </Button>
          }
        />
      )}
    </>
  );
}
