import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateHomeDashboards1795100000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE home_dashboards_choice
      (team_id integer PRIMARY KEY, dashboard varchar(255) NOT NULL)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE home_dashboards_choice');
  }
}
