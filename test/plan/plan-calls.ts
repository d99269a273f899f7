import type {
  AppliedPlanResponse,
  PlanResponse,
} from '../../src/features/plan/dto/plan-response.dto.ts';
import { type Answer, type ApiClient, NDJSON } from '../support/api/api-client.ts';
import { toLines } from '../support/api/lines.ts';

const PLAN = '/api/v1/user-groups/plan';
const APPLY = '/api/v1/user-groups/apply';

export type Plan = PlanResponse['user_group_plan'];
type AppliedPlan = AppliedPlanResponse['user_group_plan'];

/** Calls of plans, with parameters of a query such as `set=a&prune=true`. */
export class PlanCalls {
  constructor(private readonly api: ApiClient) {}

  send(query: string, ...groups: object[]): Promise<Answer> {
    return this.sendText(query, toLines(...groups));
  }

  sendText(query: string, text: string): Promise<Answer> {
    return this.api.call('POST', `${PLAN}?${query}`, text, NDJSON);
  }

  async plan(query: string, ...groups: object[]): Promise<Plan> {
    return planOf(await this.send(query, ...groups));
  }

  apply(id: number, headers: Record<string, string> = {}): Promise<Answer> {
    return this.api.call('POST', `${APPLY}?plan_id=${id}`, undefined, headers);
  }

  /** Plans and applies. */
  async carryOut(query: string, ...groups: object[]): Promise<AppliedPlan> {
    const { id } = await this.plan(query, ...groups);
    return appliedOf(await this.apply(id));
  }
}

/** @throws with the response unless it has a plan */
export function planOf({ status, body, text }: Answer): Plan {
  if (status !== 200) throw new Error(text);
  return (body as unknown as PlanResponse).user_group_plan;
}

export function appliedOf({ status, body, text }: Answer): AppliedPlan {
  if (status !== 200) throw new Error(text);
  return (body as unknown as AppliedPlanResponse).user_group_plan;
}

/** The codes of responses, in order. */
export function codesOf(...answers: Answer[]): (string | number)[] {
  return answers.map(({ status, body }) => (status === 200 ? 200 : body.code));
}
