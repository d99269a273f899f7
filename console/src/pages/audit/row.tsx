import { useState } from 'preact/hooks';
import type { Schemas } from '../../own-types.ts';
import { addressOf } from '../../router.ts';
import { may } from '../../session.ts';
import { Changes, Values } from '../../ui/changes.tsx';
import { Fact, Facts } from '../../ui/page.tsx';
import { Name, Text, Time } from '../../ui/text.tsx';
import { Unfold } from '../../ui/unfold.tsx';
import { sentenceOf } from './sentence.ts';

type AuditEvent = Schemas['AuditEvent'];

/** The names of API tokens by id, as far as the caller may know them. */
export type TokenNames = ReadonlyMap<number, string>;

export function Row({ event, names }: { event: AuditEvent; names: TokenNames }) {
  const [isOpen, setOpen] = useState(false);
  const { actor, object } = event;
  return (
    <>
      <tr class={isOpen ? 'open' : ''}>
        <td class="nowrap">
          <Unfold isOpen={isOpen} setOpen={setOpen} of="Details of" data-row>
            <Time at={event.occurred_at} />
          </Unfold>
        </td>
        <td>
          <ActorName actor={actor} names={names} isPlain /> <Text>{sentenceOf(event, names)}</Text>
        </td>
        <td class="roomy">
          {object ? <ObjectLink object={object} /> : <span class="none">–</span>}
        </td>
      </tr>
      {isOpen && (
        <tr class="details">
          <td colSpan={3}>
            {object && (
              <p class="phone">
                <ObjectLink object={object} />
              </p>
            )}
            <AuditDetails event={event} names={names} />
          </td>
        </tr>
      )}
    </>
  );
}

/** Shows an entry of the audit log with the values before and after. */
export function AuditDetails({ event, names }: { event: AuditEvent; names: TokenNames }) {
  const { id, action, actor, before, after, details } = event;
  return (
    <>
      <Facts>
        <Fact name="Actor">
          <ActorName actor={actor} names={names} />
        </Fact>
        <Fact name="Action">
          <Name>{action}</Name>
        </Fact>
        <Fact name="Address">
          <code>{actor.address ?? '–'}</code>
        </Fact>
        <Fact name="Request">
          {actor.request_id ? (
            <a href={addressOf(['audit'], { request_id: actor.request_id })}>
              <code>{actor.request_id}</code>
            </a>
          ) : (
            '–'
          )}
        </Fact>
        <Fact name="Event">
          <code>{id}</code>
        </Fact>
      </Facts>
      <Changes before={before} after={after} />
      {details && (
        <>
          <h2>Details</h2>
          <Values value={details} />
        </>
      )}
    </>
  );
}

/** The one who did it, with a link to all that they did. */
export function ActorName({
  actor,
  names,
  isPlain,
}: {
  actor: Schemas['AuditEventActor'];
  names: TokenNames;
  /** Whether it is the beginning of a sentence, without a link. */
  isPlain?: boolean;
}) {
  const NAMES = new Map([
    ['operator', 'command line'],
    ['service', 'the service'],
    ['unknown', 'nobody known'],
  ]);
  if (actor.type !== 'api_token') return <span>{NAMES.get(actor.type) ?? actor.type}</span>;
  const name = names.get(actor.api_token_id!);
  if (isPlain) return <strong>{name ?? `API token ${actor.api_token_id}`}</strong>;
  const id = String(actor.api_token_id);
  return (
    <a href={addressOf(['audit'], { api_token_id: id })}>
      {name === undefined ? `API token ${id}` : `${name} (no. ${id})`}
    </a>
  );
}

function ObjectLink({ object }: { object: Schemas['AuditEventObject'] }) {
  const places: Record<string, [string, ...string[]] | undefined> = {
    user_group: may('user-groups:read') ? ['groups', object.id] : undefined,
    bulk_job: may('user-groups:read') ? ['jobs', object.id] : undefined,
    schema: may('registry:read') ? ['registry', 'schemas', object.id] : undefined,
    data_source: may('registry:read') ? ['registry', 'data-sources', object.id] : undefined,
    webhook_endpoint: may('webhooks:read') ? ['webhooks', object.id] : undefined,
    api_token: may('admin') ? ['api-tokens'] : undefined,
  };
  const path = places[object.type];
  if (object.type === 'workspace') return <>this workspace</>;
  return (
    <>
      <span class="soft">{object.type.replace('_', ' ')}</span>{' '}
      {path ? (
        <a href={addressOf(path)}>
          <code>
            <Text>{object.id}</Text>
          </code>
        </a>
      ) : (
        <code>
          <Text>{object.id}</Text>
        </code>
      )}
    </>
  );
}
