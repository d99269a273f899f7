import { type Scope, scopes as allScopes } from '../../../src/platform/common/access/caller.ts';
import type { ApiClient } from '../api/api-client.ts';
import { type ConsolePage, type Look, withConsolePages } from './console-page.ts';
import type { DatabaseKind } from '../database/databases.ts';
import { type TestService, withService } from '../test-service.ts';
import { SENDING } from '../events/webhook-receiver.ts';

/** The user who begins, and the first page. The default is every scope in a workspace of the user's own. */
interface Beginning extends Look {
  scopes?: readonly Scope[];
  workspace?: string;
}

/** A page that is signed in. */
interface Begun {
  page: ConsolePage;
  token: string;
  /** Calls with the same API token. */
  api: ApiClient;
  workspace: string;
}

/** The start of the tests of the console. */
export interface ConsoleTests {
  service: TestService;
  /** Opens a page at which nobody is signed in. */
  open: (look?: Look) => Promise<ConsolePage>;
  begin: (beginning?: Beginning) => Promise<Begun>;
}

/** Declares a browser, and a service with the console, for the tests of the surrounding block. */
export function withConsole(kind: DatabaseKind, env: Record<string, string> = {}): ConsoleTests {
  const openPage = withConsolePages();
  const service = withService(kind, { ...SENDING, ...env });
  let workspaces = 0;
  const open = (look?: Look) => openPage(service, look);
  const begin = async ({ scopes = allScopes, workspace, ...look }: Beginning = {}) => {
    const name = workspace ?? `workspace-${++workspaces}`;
    const token = await service.issueToken([...scopes], name);
    const page = await open(look);
    await page.signIn(token);
    return { page, token, api: service.clientOf(token), workspace: name };
  };
  return { service, open, begin };
}

/** Creates a user group whose name is its id, and gives its token. */
export async function createGroup(api: ApiClient, id: string, fields: object = {}) {
  return (await api.create({ user_group_id: id, name: id, ...fields })).token;
}
