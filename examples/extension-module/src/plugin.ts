import { Module } from '@nestjs/common';
import { definePlugin } from 'user-group-service';
import { CreateHomeDashboards1795100000001 } from './create-home-dashboards.migration.js';
import { HomeDashboardController, READ, WRITE } from './home-dashboard.controller.js';
import { HomeDashboard } from './home-dashboard.entity.js';
import { CHOOSE, HomeDashboards, HomeDashboardSettings } from './home-dashboards.js';

@Module({ controllers: [HomeDashboardController], providers: [HomeDashboards] })
class HomeDashboardModule {}

export default definePlugin({
  name: 'home-dashboards',
  compatibility: '^0.1.0',
  modules: [HomeDashboardModule],
  scopes: [READ, WRITE],
  actions: [CHOOSE],
  entities: [HomeDashboard],
  migrations: [CreateHomeDashboards1795100000001],
  settings: HomeDashboardSettings,
});
