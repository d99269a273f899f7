import { isJsonObject, type JsonValue } from '../../../platform/common/json/strict-json.ts';
import { OperatorError, OperatorRefusal } from '../../../platform/common/problem/operator-error.ts';
import type { Violation } from '../../../platform/common/problem/violation.ts';
import type { AppliedPlanResponse, PlanResponse } from '../dto/plan-response.dto.ts';

/** A plan of many groups takes a while. */
const LIMIT_MS = 300_000;

interface RemoteProblem {
  code?: string;
  detail?: string;
  errors?: readonly Violation[];
}

/** Faults of lines, whose pointers begin with the number of the line. */
export class RefusedRemotely extends OperatorRefusal {
  constructor(
    message: string,
    readonly violations: readonly Violation[],
  ) {
    super(message);
  }
}

/** Makes and applies plans by the HTTP interface of a service. */
export class RemotePlans {
  constructor(
    private readonly url: string,
    private readonly apiToken: string,
  ) {}

  /** @throws RefusedRemotely, OperatorError */
  async plan(query: Record<string, string>, lines: string): Promise<PlanResponse> {
    const body = { body: lines, type: 'application/x-ndjson' };
    return (await this.post('plan', query, body)) as PlanResponse;
  }

  /** @throws RefusedRemotely, OperatorError */
  async apply(id: number): Promise<AppliedPlanResponse> {
    return (await this.post('apply', { plan_id: String(id) })) as AppliedPlanResponse;
  }

  private async post(
    name: string,
    query: Record<string, string>,
    { body, type }: { body?: string; type?: string } = {},
  ): Promise<unknown> {
    const url = `${this.url.replace(/\/$/, '')}/api/v1/user-groups/${name}?${String(new URLSearchParams(query))}`;
    const response = await fetch(url, {
      method: 'POST',
      headers: { Authorization: `Token ${this.apiToken}`, ...(type && { 'Content-Type': type }) },
      ...(body !== undefined && { body }),
      // Another host must not get the token.
      redirect: 'error',
      signal: AbortSignal.timeout(LIMIT_MS),
    }).catch((error: unknown) => {
      throw new OperatorError(`The service at ${this.url} cannot be reached.`, { cause: error });
    });
    const text = await response.text();
    const parsed = parsedOf(text);
    if (response.status === 200) {
      if (parsed && 'user_group_plan' in parsed) return parsed;
      throw new OperatorError(`The server at ${this.url} is no user group service.`);
    }
    const { code = 'no problem', detail = '', errors = [] } = parsed ?? {};
    const message = `The service has refused the call (${response.status} ${code}). ${detail}`;
    throw new RefusedRemotely(message.trim(), errors);
  }
}

function parsedOf(text: string): RemoteProblem | undefined {
  try {
    const value = JSON.parse(text) as JsonValue;
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
