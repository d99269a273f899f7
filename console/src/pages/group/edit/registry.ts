import { dataOf, api } from '../../../api.ts';
import { useLoad } from '../../../load.ts';
import type { Schemas } from '../../../own-types.ts';
import { may } from '../../../session.ts';
import { type Kind, KINDS } from '../../registry/kinds.ts';
import { notify } from '../../../ui/notices.tsx';

/** Pages of the registry that are loaded, each of 200 entries. */
const PAGES = 25;

/** Entries of the registry that the editor of a mapping offers. */
export interface Offer {
  entries: Schemas['Schema'][];
  /** Whether these are all. */
  isWhole: boolean;
  /** Registers an id under its own name; undefined if the caller may not. */
  register: ((provided_id: string) => Promise<void>) | undefined;
}

async function allOf(
  { list }: Kind,
  signal: AbortSignal,
): Promise<Pick<Offer, 'entries' | 'isWhole'>> {
  const entries: Schemas['Schema'][] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES && (page === 0 || cursor); page += 1) {
    const { rows, next } = await list({ limit: 200, ...(cursor && { cursor }) }, signal);
    entries.push(...rows);
    cursor = next;
  }
  return { entries, isWhole: cursor === undefined };
}

/** Loads the settings and the registry of the workspace; undefined until they are known, or if the caller may not read them. */
export function useWorkspaceRules() {
  const { data, reload } = useLoad(async (signal) => {
    if (!may('registry:read')) return undefined;
    const [{ workspace }, [schemas, sources]] = await Promise.all([
      dataOf(api.GET('/api/v1/workspace', { signal })),
      Promise.all(KINDS.map((kind) => allOf(kind, signal))),
    ]);
    return { workspace, schemas, sources };
  }, []);
  const registering = (
    register: (body: { provided_id: string; name: string }) => Promise<unknown>,
  ) =>
    may('registry:write')
      ? async (provided_id: string) => {
          await register({ provided_id, name: provided_id });
          notify('Registered');
          reload();
        }
      : undefined;
  if (!data) return undefined;
  const { workspace, schemas, sources } = data;
  return {
    workspace,
    schemas: {
      ...schemas!,
      register: registering((body) => dataOf(api.POST('/api/v1/schemas', { body }))),
    },
    sources: {
      ...sources!,
      register: registering((body) => dataOf(api.POST('/api/v1/data-sources', { body }))),
    },
  };
}
