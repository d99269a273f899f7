import { useState } from 'preact/hooks';
import type { Schemas } from '../../own-types.ts';
import { Lines, Overall, TextField } from '../../ui/fields.tsx';
import { pointerOf } from '../../ui/status.tsx';
import { linesOf, valueOf } from '../registry/variable-draft.ts';

type Variable = Schemas['DeclaredVariable'];
type Written = Record<string, string>;

/** Whether a token can set the variable, or narrow it. */
const canVary = ({ source, type, is_secret: isSecret }: Variable) =>
  source === 'token' || (type.endsWith('[]') && !isSecret);

/** The fields of a token that say who looks, at what and with which variables, and their part of the request body. */
export function useViewer(declared: Variable[]) {
  const [user, setUser] = useState<Written>({});
  const [resources, setResources] = useState('');
  const [values, setValues] = useState<Written>({});
  const lines = linesOf(resources);
  const fields = (
    <>
      <fieldset>
        <legend class="legend">Viewer</legend>
        <p class="hint">Optional. Tokens have it as claims, which a browser can read.</p>
        <Overall at="/user" />
        {(
          [
            ['id', 'User id'],
            ['name', 'User name'],
            ['email', 'E-mail'],
          ] as const
        ).map(([name, label]) => (
          <TextField
            key={name}
            label={label}
            pointer={`/user/${name}`}
            spellcheck={false}
            value={user[name] ?? ''}
            onChange={(text) => {
              setUser({ ...user, [name]: text });
            }}
          />
        ))}
        <Lines
          label="Resources, one a line"
          hint="Such as dashboard:sales. Empty: all that the renderer has."
          pointer="/resources"
          parts={lines}
          value={resources}
          onChange={setResources}
        />
      </fieldset>
      {declared.some(canVary) && (
        <fieldset>
          <legend class="legend">Variables</legend>
          <p class="hint">An embed token with variables has the format opaque.</p>
          {declared.filter(canVary).map((one) => (
            <VariableField
              key={one.name}
              variable={one}
              value={values[one.name] ?? ''}
              onChange={(text) => {
                setValues({ ...values, [one.name]: text });
              }}
            />
          ))}
        </fieldset>
      )}
    </>
  );
  const body = {
    ...(Object.values(user).some(Boolean) && {
      user: withoutEmpty(user) as Schemas['EmbedTokenUser'],
    }),
    ...(lines.length > 0 && { resources: lines.map(toResource) }),
    ...(Object.values(values).some(Boolean) && { variables: toVariables(declared, values) }),
  };
  return { fields, body };
}

function VariableField({
  variable: { name, type, source, required, enum: allowed, description },
  value,
  onChange,
}: {
  variable: Variable;
  value: string;
  onChange: (text: string) => void;
}) {
  const isOfToken = source === 'token';
  const ties = {
    label: name,
    hint: [
      description,
      `Of the type ${type}${isOfToken ? '.' : ', one a line. Empty: the whole list of the group.'}`,
    ]
      .filter(Boolean)
      .join(' '),
    pointer: pointerOf('variables', ...name.split('.')),
    value,
    onChange,
  };
  return type.endsWith('[]') ? (
    <Lines {...ties} parts={linesOf(value)} />
  ) : (
    <TextField
      {...ties}
      required={required}
      list={(type === 'boolean' ? [true, false] : allowed)?.map(String)}
    />
  );
}

function withoutEmpty(texts: Written): Written {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text));
}

/** Splits at the first colon: the id of a resource can have others. */
function toResource(line: string): Schemas['EmbedTokenResource'] {
  const at = line.indexOf(':');
  return at < 0 ? { type: line, id: '' } : { type: line.slice(0, at), id: line.slice(at + 1) };
}

/** Returns the variables with the types that the workspace declares, each at the path of its name. */
function toVariables(declared: Variable[], values: Written): Record<string, unknown> {
  const variables: Record<string, unknown> = {};
  for (const { name, type } of declared) {
    const text = values[name];
    if (!text) continue;
    const single = type.replace('[]', '');
    const path = name.split('.');
    const last = path.pop()!;
    let within = variables;
    for (const part of path) within = (within[part] ??= {}) as Record<string, unknown>;
    within[last] =
      type === single ? valueOf(text, type) : linesOf(text).map((line) => valueOf(line, single));
  }
  return variables;
}
