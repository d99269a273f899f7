import { scopes } from '../../src/platform/common/access/caller.ts';
import type { RegistryEntryView } from '../../src/features/registry/entries/dto/registered-response.dto.ts';
import type {
  UserGroupIssues,
  WorkspaceView,
} from '../../src/features/registry/settings/dto/workspace.dto.ts';
import type { Answer, ApiClient } from './api/api-client.ts';
import type { TestService } from './test-service.ts';

/** The fields of the registry's answers; which ones an answer has is what the tests assert. */
interface RegistryBody {
  schema: RegistryEntryView;
  schemas: RegistryEntryView[];
  data_source: RegistryEntryView;
  data_sources: RegistryEntryView[];
  workspace: WorkspaceView;
  required: boolean;
  user_groups: UserGroupIssues[];
  mapping: Record<string, unknown>;
  unmapped: string[];
  next_cursor?: string;
}

export function registryBody(answer: Answer): RegistryBody {
  return answer.body as unknown as RegistryBody;
}

/** A workspace of its own with what a caller does to its registry. */
export class TestWorkspace {
  private constructor(
    readonly name: string,
    readonly api: ApiClient,
  ) {}

  static async create(service: TestService, name: string): Promise<TestWorkspace> {
    const token = await service.issueToken([...scopes], name);
    return new TestWorkspace(name, service.clientOf(token));
  }

  async schema(provided_id: string): Promise<number> {
    return (await this.register('schemas', provided_id)).schema.id;
  }

  async dataSource(provided_id: string): Promise<number> {
    return (await this.register('data-sources', provided_id)).data_source.id;
  }

  set(settings: object): Promise<Answer> {
    return this.api.call('PATCH', '/api/v1/workspace', settings);
  }

  /** The introspection of the group's token for a renderer. */
  async introspect(token: string, schema_id?: string): Promise<Answer> {
    return this.api.call('POST', '/api/v1/introspect', { token, schema_id });
  }

  /** A write of a group by PUT. */
  put(id: string, fields: object = {}): Promise<Answer> {
    return this.api.put({ user_group_id: id, name: id, ...fields });
  }

  private async register(kind: string, provided_id: string): Promise<RegistryBody> {
    const body = { provided_id, name: `name of ${provided_id}`.slice(0, 100) };
    const answer = await this.api.call('POST', `/api/v1/${kind}`, body);
    if (answer.status !== 201) throw new Error(answer.text);
    return registryBody(answer);
  }
}

/** The places and codes of what was wrong, in order. */
export function errorsOf(answer: Answer): [string, string][] {
  const { errors = [] } = answer.body as Partial<Answer['body']>;
  return errors.map(({ pointer, code }) => [pointer, code]);
}
