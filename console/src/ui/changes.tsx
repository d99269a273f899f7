import { Fact, Facts } from './page.tsx';
import { Text } from './text.tsx';

type Fields = Record<string, unknown>;

/** Stands between the name of a list and that of an entry in it; no field has it in its name. */
const OF_LIST = ' › ';

/** The fields of an object; each entry of a list of named entries is a field, so that one that is added is one difference. */
function byName(fields: object = {}): Fields {
  const entries = Object.entries(fields as Fields).flatMap(([field, value]): [string, unknown][] =>
    Array.isArray(value) && value.every((one: unknown) => typeof nameOf(one) === 'string')
      ? value.map((one: unknown) => [field + OF_LIST + String(nameOf(one)), one])
      : [[field, value]],
  );
  return Object.fromEntries(entries);
}

const nameOf = (one: unknown) => (one as { name?: unknown } | null)?.name;

/** The old and new value of each changed field; of a list of named entries, those that differ. */
export function Changes({
  before,
  after,
}: {
  before: object | undefined;
  after: object | undefined;
}) {
  if (!before && !after) return null;
  const [old, now] = [byName(before), byName(after)];
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])];
  return (
    <div class="before-after">
      {(
        [
          ['Before', old, now, 'gone'],
          ['After', now, old, 'come'],
        ] as const
      ).map(([title, own, other, tone]) => (
        <div key={title}>
          <h2>{title}</h2>
          {names.map((name) => {
            const isThere = Object.hasOwn(own, name);
            const differs = JSON.stringify(own[name]) !== JSON.stringify(other[name]);
            if (name.includes(OF_LIST) && !differs) return null;
            return (
              <p key={name} class={isThere && differs ? `change ${tone}` : 'change'}>
                <span class="soft">{name}</span>{' '}
                {isThere ? (
                  <code>
                    <Text>{written(own[name])}</Text>
                  </code>
                ) : (
                  <span class="none">–</span>
                )}
              </p>
            );
          })}
        </div>
      ))}
    </div>
  );
}

function written(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

export function Values({ value }: { value: object }) {
  return (
    <Facts>
      {Object.entries(value).map(([name, one]) => (
        <Fact key={name} name={name}>
          <code>
            <Text>{written(one)}</Text>
          </code>
        </Fact>
      ))}
    </Facts>
  );
}
