import type { INestApplicationContext } from '@nestjs/common';
import { type Command, Option } from 'commander';
import { readFile } from 'node:fs/promises';
import { type Printing, printOne } from '../../platform/command-line/output.ts';
import { usable } from '../../platform/command-line/read-input.ts';
import { printMessage } from '../../platform/command-line/show-progress.ts';
import { withResult } from '../../platform/command-line/subcommand.ts';
import type { Caller } from '../../platform/common/access/caller.ts';
import type { CommandServices } from '../../platform/common/extension/command.ts';
import type { Line } from '../../platform/common/http/responses/lines.ts';
import { checkedDto } from '../../platform/common/json/to-dto.ts';
import { ValidationFailed } from '../../platform/common/problem/errors.ts';
import { OperatorError, OperatorRefusal } from '../../platform/common/problem/operator-error.ts';
import { MAX_VIOLATIONS, type Violation } from '../../platform/common/problem/violation.ts';
import { Config } from '../../platform/config/config.ts';
import { PlanQueryDto, pruneActions } from './dto/plan.dto.ts';
import type { PlanResponse } from './dto/plan-response.dto.ts';
import { readDesired } from './files/desired-files.ts';
import type { PlacedGroup } from './files/placed-groups.ts';
import { RefusedRemotely, RemotePlans } from './files/remote-plans.ts';
import { PlanApplier } from './plan-applier.ts';
import { faultsText, planText } from './plan-text.ts';
import { UserGroupPlanner } from './planning/user-group-planner.ts';

interface ApplySettings extends Printing {
  workspace: string;
  file: string;
  set: string;
  dryRun?: true;
  prune?: true;
  onPrune?: string;
  maxPrune?: string;
  adopt?: true;
  url?: string;
  apiTokenFile?: string;
}

/** Exit code of a dry run that has found differences; no other outcome of the command has it. */
const DIFFERENCES = 2;
const FAILED = 1;

/** Lines that are handed over at a time. */
const AT_ONCE = 200;

/** The service of this database, or of another machine. */
interface Plans {
  plan: () => Promise<PlanResponse>;
  apply: (id: number) => Promise<object>;
}

export function defineApply(command: Command, { withWorkspace }: CommandServices): void {
  withResult(command, 'group apply --file groups/ --set production --prune --dry-run', 'groups')
    .requiredOption('-f, --file <path>', 'a YAML or JSON file, a directory of them, or "-"')
    .option('--set <name>', 'the set to which these groups belong', 'default')
    .option('--dry-run', `show the differences; exit with ${DIFFERENCES} if there are any`)
    .option('--prune', 'suspend groups of the set that no file has')
    .addOption(
      new Option('--on-prune <action>', 'action of --prune on these groups').choices(pruneActions),
    )
    .option('--max-prune <number>', 'maximum number of these groups, by default a fifth of the set')
    .option('--adopt', 'take over groups of another set or of none')
    .option('--url <url>', 'call the service at this URL, in place of using its database')
    .option('--api-token-file <file>', 'with --url: a file with an API token')
    // A dry run must not mistake a misspelt option for differences.
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : FAILED))
    .action(async (settings: ApplySettings) => {
      const groups = await readDesired(settings.file);
      const query = queryOf(settings);
      if (settings.url !== undefined) {
        const plans = new RemotePlans(settings.url, await tokenFrom(settings));
        const lines = groups.map(({ text }) => `${text}\n`).join('');
        await carryOut(settings, groups, {
          plan: () => plans.plan(query, lines),
          apply: (id) => plans.apply(id),
        });
        return;
      }
      await withWorkspace(
        settings.workspace,
        (app, caller) => carryOut(settings, groups, ofDatabase(app, caller, query, groups)),
        { rightKeys: true },
      );
    });
}

async function carryOut(
  settings: ApplySettings,
  groups: readonly PlacedGroup[],
  plans: Plans,
): Promise<void> {
  const response = await plans.plan().catch((error: unknown) => {
    throw explained(error, groups);
  });
  const { id, counts, changes } = response.user_group_plan;
  if (settings.dryRun || settings.output === 'table') show(settings, response, groups);
  if (counts.conflict > 0) {
    const are = counts.conflict === 1 ? 'group belongs' : 'groups belong';
    throw new OperatorRefusal(
      `${counts.conflict} ${are} to another set or to none; nothing was applied. Take them out of the files, or use --adopt.`,
    );
  }
  if (settings.dryRun) {
    if (changes.length > 0) process.exitCode = DIFFERENCES;
    return;
  }
  const applied = changes.length > 0 ? await plans.apply(id) : response;
  if (settings.output !== 'table') printOne(settings, applied);
  else console.error(changes.length > 0 ? 'Applied.' : 'Nothing to do.');
}

function show(
  settings: ApplySettings,
  response: PlanResponse,
  groups: readonly PlacedGroup[],
): void {
  if (settings.output !== 'table') printOne(settings, response);
  else for (const line of planText(response.user_group_plan, groups)) console.log(line);
}

function ofDatabase(
  app: INestApplicationContext,
  caller: Caller,
  query: Record<string, string>,
  groups: readonly PlacedGroup[],
): Plans {
  const { bodyLimit } = app.get(Config);
  return {
    plan: () =>
      app
        .get(UserGroupPlanner)
        .plan(caller, checkedDto(PlanQueryDto, query), toLines(groups, bodyLimit)),
    apply: (id) => app.get(PlanApplier).apply(caller, id),
  };
}

// eslint-disable-next-line @typescript-eslint/require-await -- as lines arrive over HTTP
async function* toLines(groups: readonly PlacedGroup[], limit: number): AsyncGenerator<Line[]> {
  for (let from = 0; from < groups.length; from += AT_ONCE) {
    yield groups.slice(from, from + AT_ONCE).map(({ text }, index) => {
      const bytes = Buffer.from(text);
      return { number: from + index + 1, bytes: bytes.length > limit ? undefined : bytes };
    });
  }
}

function queryOf({ set, prune, onPrune, maxPrune, adopt }: ApplySettings): Record<string, string> {
  return {
    set,
    ...(prune && { prune: 'true' }),
    ...(onPrune !== undefined && { on_prune: onPrune }),
    ...(maxPrune !== undefined && { max_prune: maxPrune }),
    ...(adopt && { adopt: 'true' }),
  };
}

/** @throws OperatorError */
async function tokenFrom({ apiTokenFile }: ApplySettings): Promise<string> {
  if (apiTokenFile === undefined) {
    throw new OperatorError('With --url the command needs --api-token-file.');
  }
  return (await usable(apiTokenFile, () => readFile(apiTokenFile, 'utf8'))).trim();
}

/** Names the file and the line of each fault. */
function explained(error: unknown, groups: readonly PlacedGroup[]): unknown {
  if (!(error instanceof ValidationFailed || error instanceof RefusedRemotely)) return error;
  const violations: readonly Violation[] = error.violations ?? [];
  const faults = faultsText(violations, groups);
  if (faults.length === 0) return error;
  for (const fault of faults) printMessage(fault);
  const count = faults.length === 1 ? 'a fault' : `${faults.length} faults`;
  // A list of faults ends at its bound.
  const more = violations.length < MAX_VIOLATIONS ? '' : ' or more';
  return new OperatorRefusal(`The files have ${count}${more}.`);
}
