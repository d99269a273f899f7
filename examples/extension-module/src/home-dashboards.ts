import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import {
  AuditLog,
  type Caller,
  declareAction,
  FromEnv,
  operator,
  text,
  Transactor,
} from 'user-group-service';
import { USER_GROUP_DATA_SOURCE, UserGroups } from 'user-group-service';
import { type UserGroupEvent, UserGroupEvents } from 'user-group-service';
import { HomeDashboard } from './home-dashboard.entity.js';

export const CHOOSE = declareAction('home_dashboard.choose');

export class HomeDashboardSettings {
  @FromEnv('HOME_DASHBOARD', { about: 'The dashboard of groups without a choice.', read: text })
  fallback = 'overview';
}

@Injectable()
export class HomeDashboards implements OnApplicationBootstrap {
  constructor(
    @InjectRepository(HomeDashboard, USER_GROUP_DATA_SOURCE)
    private readonly choices: Repository<HomeDashboard>,
    private readonly transactor: Transactor,
    private readonly userGroups: UserGroups,
    private readonly events: UserGroupEvents,
    private readonly auditLog: AuditLog,
    private readonly settings: HomeDashboardSettings,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const handle = async (events: readonly UserGroupEvent[]) => {
      const teamIds = events.flatMap(({ user_group: group }) => group?.team_id ?? []);
      await this.transactor.run((manager) => manager.delete(HomeDashboard, teamIds));
    };
    const types = ['user_group.delete'];
    await this.events.subscribe({ name: 'home-dashboards', types, handle });
  }

  async find({ workspaceId }: Caller, userGroupId: string): Promise<object> {
    // Responds with 404 itself, whatever scopes the caller has.
    const { team_id: teamId } = await this.userGroups.get(operator(workspaceId), userGroupId);
    const choice = await this.choices.findOneBy({ teamId });
    return { success: 1, dashboard: choice?.dashboard ?? this.settings.fallback };
  }

  async choose(caller: Caller, userGroupId: string, dashboard: string): Promise<object> {
    const { team_id: teamId } = await this.userGroups.get(
      operator(caller.workspaceId),
      userGroupId,
    );
    await this.transactor.run(async (manager) => {
      await manager.save(HomeDashboard, { teamId, dashboard });
      // In the same transaction: neither exists without the other.
      const object = { type: 'user_group', id: userGroupId };
      await this.auditLog.record(manager, caller, {
        action: CHOOSE,
        object,
        userGroupId: teamId,
        after: { dashboard },
      });
    });
    return { success: 1, dashboard };
  }
}
