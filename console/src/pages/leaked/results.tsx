import { dataOf, api } from '../../api.ts';
import { useLoad } from '../../load.ts';
import type { Schemas } from '../../own-types.ts';
import { addressOf } from '../../router.ts';
import { Skeleton } from '../../ui/empty.tsx';
import { Table } from '../../ui/table.tsx';
import { Badge, Text, Time } from '../../ui/text.tsx';
import { Trouble } from '../../ui/trouble.tsx';

export type Result = Schemas['ReportedToken'] & { last_four: string };

/** Embed tokens are long, and a body has a limit. */
export const AT_ONCE = 100;
const SHOWN = 200;

export const RESULTS: Record<string, [words: string, tone?: string]> = {
  ended: ['ended', 'good'],
  would_end: ['would end', 'bad'],
  already_inactive: ['already inactive'],
  last_admin_token: ['still active: the last with the scope admin', 'bad'],
  unknown: ['not one of ours', 'warn'],
};

export const counted = (count: number, what = 'token') =>
  `${count.toLocaleString()} ${what}${count === 1 ? '' : 's'}`;

/** Reports a part of the tokens, or looks at what the report would end. */
export async function reportOn(
  tokens: string[],
  more: Omit<Schemas['ReportLeakedTokensRequest'], 'tokens'>,
  signal?: AbortSignal,
): Promise<[token: string, result: Result][]> {
  const body = { tokens, ...more };
  const { results } = await dataOf(
    api.POST('/api/v1/tokens/report-leaked', { body, ...(signal && { signal }) }),
  );
  return tokens.map((token, index) => [token, { last_four: token.slice(-4), ...results[index]! }]);
}

/** Shows what the report would end. Nobody has to wait for it. */
export function Look({ tokens }: { tokens: string[] }) {
  const { data, error, reload } = useLoad(async (signal) => {
    const all: Result[] = [];
    for (let from = 0; from < tokens.length; from += AT_ONCE) {
      const part = tokens.slice(from, from + AT_ONCE);
      all.push(...(await reportOn(part, { dry_run: true }, signal)).map(([, one]) => one));
    }
    return all;
  }, []);
  if (!data) return error ? <Trouble error={error} retry={reload} /> : <Skeleton />;
  const ending = data.filter(({ result }) => result === 'would_end');
  const groups = new Set(ending.map(({ provided_id: id }) => id));
  groups.delete(undefined);
  const recent = ending.filter(
    ({ last_used_at: at }) => Date.now() - Date.parse(at ?? '') < 3_600_000,
  );
  return (
    <>
      <p role="status">
        {counted(ending.length)} of {counted(groups.size, 'group')} would end;{' '}
        {recent.length.toLocaleString()} used in the last hour.
      </p>
      <Results results={data} />
    </>
  );
}

export function Results({ results }: { results: Result[] }) {
  const isLook = results.some(({ last_used_at: at }) => at !== undefined);
  return (
    <>
      <Table label="Results" head={['Token', 'Result', 'User group', isLook && 'Last used']}>
        {results
          .slice(0, SHOWN)
          .map(({ last_four, kind, result, provided_id: id, last_used_at: at }, index) => (
            <tr key={index}>
              <td class="nowrap">
                <code>…{last_four}</code> <span class="soft">{kind.replaceAll('_', ' ')}</span>
              </td>
              <td>
                <Badge tone={RESULTS[result]?.[1] ?? ''}>{RESULTS[result]?.[0] ?? result}</Badge>
              </td>
              <td>
                {id === undefined ? (
                  <span class="none">–</span>
                ) : (
                  <a href={addressOf(['groups', id])} data-row>
                    <Text>{id}</Text>
                  </a>
                )}
              </td>
              {isLook && (
                <td>
                  <Time at={at ?? null} none={at === null ? 'never' : '–'} />
                </td>
              )}
            </tr>
          ))}
      </Table>
      {results.length > SHOWN && (
        <p class="list-foot">And {(results.length - SHOWN).toLocaleString()} more.</p>
      )}
    </>
  );
}
