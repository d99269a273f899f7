import type { ComponentChildren } from 'preact';
import { dataOf, api } from '../../api.ts';
import { useRepeated } from '../../attended.ts';
import { useLoad } from '../../load.ts';
import type { Schemas } from '../../own-types.ts';
import { addressOf } from '../../router.ts';
import { has, may } from '../../session.ts';
import { Header } from '../../ui/page.tsx';
import { Time } from '../../ui/text.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { Activity } from './activity.tsx';
import { AGAIN_AFTER } from './again.ts';
import { Busiest } from './busiest.tsx';
import { isBeginning, Onboarding } from './onboarding.tsx';
import { WorkList } from './work-list.tsx';

export default function OverviewPage() {
  const { data, error, reload } = useLoad(
    async (signal) => (await dataOf(api.GET('/api/v1/overview', { signal }))).overview,
    [],
  );
  useRepeated(reload, AGAIN_AFTER);
  const isEmpty = data?.user_groups.total === 0 && isBeginning(data);
  return (
    <>
      <Header
        title="Overview"
        about={
          <>
            Updated <Time at={data?.as_of} none="…" />, every {AGAIN_AFTER / 1000} s
          </>
        }
      />
      <Trouble error={error} retry={reload} />
      {data && <Onboarding overview={data} reload={reload} />}
      {!isEmpty && (
        <>
          <WorkList overview={data} />
          <Tiles overview={data} />
          <Activity />
          {has('usage') && may('usage:read') && <Busiest />}
        </>
      )}
    </>
  );
}

function Tiles({ overview }: { overview: Schemas['Overview'] | undefined }) {
  const apiTokens = overview?.api_tokens;
  return (
    <div class="tiles">
      <Tile
        name="User groups"
        count={overview?.user_groups.total}
        address={addressOf(['groups'])}
      />
      {(may('admin') || apiTokens) && (
        <Tile
          name="API tokens"
          count={apiTokens?.active}
          note={apiTokens && `${apiTokens.expiring_within_30_days} expiring in 30 days`}
          address={addressOf(['api-tokens'])}
        />
      )}
    </div>
  );
}

function Tile({
  name,
  count,
  note,
  address,
}: {
  name: string;
  count: number | undefined;
  note?: ComponentChildren;
  address: string;
}) {
  return (
    <a class="tile" href={address}>
      <p class="tile-name">{name}</p>
      <p class="tile-count">
        {count === undefined ? <span class="bone w3" /> : count.toLocaleString()}
      </p>
      <p class="tile-note">{note ?? ' '}</p>
    </a>
  );
}
