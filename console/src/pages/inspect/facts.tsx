import { useLoad } from '../../load.ts';
import type { Schemas } from '../../own-types.ts';
import { addressOf } from '../../router.ts';
import { may } from '../../session.ts';
import { nameOfApiToken } from '../group/who.ts';
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
            <Fact name="Embed token issued">
              <Time at={embed.issued_at} />
            </Fact>
            <Fact name="Embed token expires">
              <Time at={embed.expires_at} />
            </Fact>
            {claimsOf(embed).map(([name, text]) => (
              <Fact key={name} name={name}>
                <Text>{text}</Text>
              </Fact>
            ))}
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

/** The claims that an embed token has, by their names for people. */
function claimsOf(embed: Schemas['EmbedTokenFacts']): [name: string, text: string][] {
  const { user_id, user_name, email } = embed;
  const claims: [string, string | undefined][] = [
    ['Format', embed.format],
    ['Audience', embed.aud],
    ['Origin', embed.origin ?? 'any'],
    ['Issuer', embed.iss],
    ['Viewed by', embed.acting_for],
    ['Viewer', [user_id, user_name, email].filter(Boolean).join(', ')],
    ['Resources', embed.resources?.map(({ type, id }) => `${type} ${id}`).join(', ')],
    ['Variables', embed.variables?.join(', ')],
  ];
  return claims.filter((claim): claim is [string, string] => Boolean(claim[1]));
}

/** Names who did it, and leads to what else they have done. */
function By({ id }: { id: number | null }) {
  const { data } = useLoad((signal) => nameOfApiToken(id, signal), [id]);
  if (id === null) return <>by the operator, or not recorded</>;
  const words = <>by API token {data === undefined ? `no. ${id}` : <Text>{data}</Text>}</>;
  if (!may('audit:read')) return words;
  return <a href={addressOf(['audit'], { api_token_id: String(id) })}>{words}</a>;
}
