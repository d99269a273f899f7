import { Fact, Facts } from './page.tsx';
import { Text } from './text.tsx';

type Fields = Record<string, unknown>;

/** The old and new value of each changed field. */
export function Changes({
  before,
  after,
}: {
  before: object | undefined;
  after: object | undefined;
}) {
  if (!before && !after) return null;
  const [old, now] = [(before ?? {}) as Fields, (after ?? {}) as Fields];
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
