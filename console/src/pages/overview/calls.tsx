import { useState } from 'preact/hooks';
import { curl, FIRST, writeUserGroup } from '../../curl.ts';
import { Curl } from '../../ui/copy.tsx';

const address = () => new URL('../api/user', location.href).href;

/** The first call of a backend in each language, at the real address. */
const CALLS: [name: string, text: () => string][] = [
  ['curl', () => writeUserGroup],
  [
    'Node',
    () => `const response = await fetch('${address()}', {
  method: 'PUT',
  headers: {
    Authorization: \`Token \${process.env.TOKEN}\`,
    'Content-Type': 'application/json',
  },
  body: JSON.stringify(${FIRST}),
});
console.log((await response.json()).user_group.token);`,
  ],
  [
    'Python',
    () => `import os, requests

response = requests.put(
    '${address()}',
    headers={'Authorization': f"Token {os.environ['TOKEN']}"},
    json=${FIRST},
)
print(response.json()['user_group']['token'])`,
  ],
];

/** The command of the example renderer for this service. */
export const exampleRenderer = () =>
  `SERVICE_URL=${new URL('..', location.href).href.replace(/\/$/, '')} \\
  API_TOKEN="$RENDERER_TOKEN" npm run example:renderer`;

export function FirstCall() {
  const [at, setAt] = useState(0);
  return (
    <>
      <div class="segments small" role="group" aria-label="Language">
        {CALLS.map(([name], index) => (
          <label key={name}>
            <input
              type="radio"
              name="language"
              checked={index === at}
              onChange={() => {
                setAt(index);
              }}
            />
            {name}
          </label>
        ))}
      </div>
      <Curl text={CALLS[at]![1]().replaceAll('TOKEN', 'BACKEND_TOKEN')} label="First call" />
    </>
  );
}

export const introspection = () =>
  curl('v1/introspect', '{"token": "ugt_…"}').replace('TOKEN', 'RENDERER_TOKEN');
