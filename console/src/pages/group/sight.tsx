import type { ComponentChildren } from 'preact';
import { INSPECTING } from '../../inspector.ts';
import { membersOf } from '../../json-text.ts';
import { each, useLoad } from '../../load.ts';
import type { Schemas } from '../../own-types.ts';
import { addressOf } from '../../router.ts';
import { may } from '../../session.ts';
import { Icon } from '../../ui/icons.tsx';
import { Json } from '../../ui/json.tsx';
import { Table } from '../../ui/table.tsx';
import { lackOf, namesOf, pointerOf, wordsOf } from '../../ui/status.tsx';
import { Badge, Text } from '../../ui/text.tsx';
import { LOOKED_UP_AT_MOST, sourceNamed } from './named.ts';
import type { Known } from './resource.ts';

type Seen = Schemas['UserGroupView'];

/** A verdict, and the evidence. */
export function Sight({
  view,
  introspection,
  known,
  way,
}: {
  view: Seen;
  introspection: string;
  known: Known;
  way: ComponentChildren;
}) {
  const isActive = view.introspection.active;
  const seen = membersOf(introspection);
  // An inactive token gets no variables: these are the ones that it would get.
  const properties = (isActive ? seen : known.raw).get('properties');
  return (
    <>
      <div class={`verdict ${isActive ? 'good' : 'bad'}`} role="status">
        <Icon name={isActive ? 'check' : 'close'} />
        <Verdict isActive={isActive} reasons={view.reasons} />
        {way}
      </div>
      <div class="columns sight">
        <Sources view={view} />
        <Variables
          view={view}
          properties={properties}
          variables={seen.get('variables') ?? properties}
        />
      </div>
      <details class="panel-body">
        <summary>The response of the introspection</summary>
        <Json label="The response of the introspection" text={introspection} />
      </details>
    </>
  );
}

function Verdict({ isActive, reasons }: { isActive: boolean; reasons: Seen['reasons'] }) {
  const because = reasons.map((reason, index) => {
    const words = wordsOf(reason);
    return (
      <span key={index}>
        {index > 0 && ' And '}
        <Text>
          {isActive && index === 0 ? words : words.charAt(0).toLowerCase() + words.slice(1)}
        </Text>
      </span>
    );
  });
  return (
    <p>
      <strong>{isActive ? 'Active.' : 'Inactive'}</strong>{' '}
      {isActive ? 'A renderer gets all of this. ' : 'because '}
      {because}
      {isActive && may(INSPECTING) && (
        <span class="soft">
          {' '}
          Still blank? The page may have another token:{' '}
          <a href={addressOf(['inspect'])}>inspect it</a>.
        </span>
      )}
    </p>
  );
}

/** The names of data sources in the registry, by the schema; a renderer is told them only under the policy `registered`. */
function useNames(mapping: Seen['mapping']): Map<string, string | undefined> {
  const entries = Object.entries(mapping).slice(0, LOOKED_UP_AT_MOST);
  const { data } = useLoad(
    async (signal) =>
      new Map(
        await each(entries, async ([schema, source]): Promise<[string, string | undefined]> => {
          if (typeof source === 'object') {
            return [schema, (source as Schemas['ResolvedDataSource']).name];
          }
          const isReadable = may('registry:read');
          return [
            schema,
            isReadable ? (await sourceNamed(source as string | number, signal))?.name : undefined,
          ];
        }),
      ),
    [JSON.stringify(mapping)],
  );
  return data ?? new Map<string, string>();
}

function Sources({ view }: { view: Seen }) {
  const names = useNames(view.mapping);
  const entries = Object.entries(view.mapping);
  const missing = missingOf(view);
  const unmapped = (view.unmapped ?? []).filter((name) => !missing.includes(name));
  return (
    <Table label="Data sources" head={['Schema', 'Data source', 'Registered name']}>
      {entries.map(([schema, source]) => (
        <tr key={schema}>
          <td>
            <code>
              <Text>{schema}</Text>
            </code>
          </td>
          <td>
            <code>
              <Text>
                {typeof source === 'object'
                  ? (source as Schemas['ResolvedDataSource']).provided_id
                  : JSON.stringify(source)}
              </Text>
            </code>
          </td>
          <td>
            {names.get(schema) === undefined ? (
              <span class="none">–</span>
            ) : (
              <Text>{names.get(schema)!}</Text>
            )}
          </td>
        </tr>
      ))}
      {unmapped.map((schema) => (
        <Lacking key={schema} name={schema} columns={2} tone="">
          not mapped
        </Lacking>
      ))}
      {missing.map((schema) => (
        <Lacking key={schema} name={schema} columns={2} tone="bad">
          missing
        </Lacking>
      ))}
      {entries.length + missing.length + unmapped.length === 0 && (
        <None columns={3}>No data source</None>
      )}
    </Table>
  );
}

/** Shows the texts of values in the JSON of properties and of declared variables. */
function Variables({
  view,
  properties,
  variables,
}: { view: Seen } & Record<'properties' | 'variables', string | undefined>) {
  return (
    <Table label="Variables" head={['Variable', 'Value', 'Type', ['Origin']]}>
      {view.variables.map(({ name, type, origin, declared, required }) => {
        const path = declared ? name.split('.') : [name];
        const lack = lackOf(view, pointerOf('properties', ...path));
        return (
          <tr key={name}>
            <td>
              <code>
                <Text>{name}</Text>
              </code>
            </td>
            <td>
              <code>
                <Text>{valueAt(declared ? variables : properties, path) ?? '–'}</Text>
              </code>{' '}
              {lack && <Badge tone="bad">{lack}</Badge>}
            </td>
            <td>{type}</td>
            <td class="roomy">
              {origin}
              {required && ' (required)'}
            </td>
          </tr>
        );
      })}
      {view.variables.length === 0 && <None columns={4}>No variables</None>}
    </Table>
  );
}

function valueAt(json: string | undefined, path: string[]): string | undefined {
  return path.reduce((text, name) => membersOf(text ?? '').get(name), json);
}

/** The required schemas that the mapping does not have. */
function missingOf({ reasons, mapping }: Seen): string[] {
  const names = reasons.flatMap(({ pointer = '' }) =>
    pointer.startsWith('/mapping/') ? [namesOf(pointer)[1]!] : [],
  );
  return names.filter((name) => !Object.hasOwn(mapping, name));
}

function Lacking({
  name,
  columns,
  tone,
  children,
}: {
  name: string;
  columns: number;
  tone: '' | 'bad';
  children: string;
}) {
  return (
    <tr>
      <td>
        <code>
          <Text>{name}</Text>
        </code>
      </td>
      <td colSpan={columns}>
        <Badge tone={tone}>{children}</Badge>
      </td>
    </tr>
  );
}

function None({ columns, children }: { columns: number; children: string }) {
  return (
    <tr>
      <td colSpan={columns} class="soft">
        {children}
      </td>
    </tr>
  );
}
