import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The dashboard that the viewers of a user group see first. */
@Entity('home_dashboards_choice')
export class HomeDashboard {
  @PrimaryColumn({ name: 'team_id', type: 'integer' })
  teamId!: number;

  @Column({ type: 'varchar' })
  dashboard!: string;
}
