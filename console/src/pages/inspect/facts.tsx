import { dataOf, api } from '../../api.ts';
import { useLoad } from '../../load.ts';
import type { Schemas } from '../../own-types.ts';
import { addressOf } from '../../router.ts';
import { may } from '../../session.ts';
import { Fact, Facts, Panel } from '../../ui/page.tsx';
import { StatusBadge } from '../../ui/status.tsx';
import { Text, Time } from '../../ui/text.tsx';

/** The group, the generation and the claims that the verdict rests on. */
export function TokenFacts({ inspection }: { inspection: Schemas['Inspection'] }) {
  const {
    user_group: group,
    token_generation: token,
    embed_token: embed,
    api_token: apiToken,
  } = inspection;
  if (!group && !embed && !apiToken) return null;
  const by = token?.superseded_by;
  return (
    <Panel title="Details">
      <Facts>
        {group && (
          <>
            <Fact name="User group">
              <a href={addressOf(['groups', group.provided_id])}>
                <Text>{group.name}</Text>
              </a>{' '}
              <StatusBadge group={{ status: group.status, reasons: [] }} />
            </Fact>
            <Fact name="ID">
              <code>
                <Text>{group.provided_id}</Text>
              </code>
            </Fact>
          </>
        )}
        {token && (
          <>
            <Fact name="Token of the group">
              No. {token.generation} <code class="soft">…{token.last_four}</code>
            </Fact>
            <Fact name="Issued">
              <Time at={token.created_at} />
            </Fact>
            {by && (
              <Fact name="Replaced">
                by no. {by.generation}, <Time at={by.at} />, <By id={by.api_token_id} />
              </Fact>
            )}
            {token.valid_until && (
              <Fact name="Overlap until">
                <Time at={token.valid_until} />
              </Fact>
            )}
            {token.revoked_at && (
              <Fact name="Revoked">
                <Time at={token.revoked_at} />, <By id={token.revoked_by} />
              </Fact>
            )}
            <Fact name="Last introspection">
              <Time at={token.last_introspected_at} none="never" />
            </Fact>
          </>
        )}
        {embed && (
          <>
            <Fact name="Audience">
              <Text>{embed.aud}</Text>
            </Fact>
            <Fact name="Origin">
              {embed.origin === undefined ? 'any' : <Text>{embed.origin}</Text>}
            </Fact>
            <Fact name="Issuer">
              <Text>{embed.iss}</Text>
            </Fact>
            <Fact name="Embed token issued">
              <Time at={embed.issued_at} />
            </Fact>
            <Fact name="Embed token expires">
              <Time at={embed.expires_at} />
            </Fact>
            {embed.acting_for && (
              <Fact name="Viewed by">
                <Text>{embed.acting_for}</Text>
              </Fact>
            )}
            {embed.user_id && (
              <Fact name="Viewer">
                <Text>
                  {[embed.user_id, embed.user_name, embed.email].filter(Boolean).join(', ')}
                </Text>
              </Fact>
            )}
            {embed.resources && (
              <Fact name="Resources">
                <Text>{embed.resources.map(({ type, id }) => `${type} ${id}`).join(', ')}</Text>
              </Fact>
            )}
          </>
        )}
        {apiToken && (
          <>
            <Fact name="API token">
              <Text>{apiToken.name}</Text>
            </Fact>
            <Fact name="State">{apiToken.state}</Fact>
          </>
        )}
      </Facts>
    </Panel>
  );
}

/** Names who did it, and leads to what else they have done. */
function By({ id }: { id: number | null }) {
  const { data } = useLoad(
    async (signal) => {
      if (id === null || !may('admin')) return undefined;
      return (
        await dataOf(api.GET('/api/v1/api-tokens/{id}', { params: { path: { id } }, signal }))
      ).api_token.name;
    },
    [id],
  );
  if (id === null) return <>by the operator, or not recorded</>;
  const words = <>by API token {data === undefined ? `no. ${id}` : <Text>{data}</Text>}</>;
  return may('audit:read') ? (
    <a href={addressOf(['audit'], { api_token_id: String(id) })}>{words}</a>
  ) : (
    words
  );
}
