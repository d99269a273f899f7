import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/** The limits of a user group; a group without limits has no row. */
@Entity('usage_limit')
export class UsageLimit {
  @ForeignKey('user_group', { onDelete: 'CASCADE' })
  @PrimaryColumn('integer')
  userGroupId!: number;

  @Column({ type: 'bigint', nullable: true }) embedTokensPerDay!: number | null;
  @Column({ type: 'bigint', nullable: true }) usersPerMonth!: number | null;

  /** 1 if the first limit refuses embed tokens, otherwise 0. */
  @Column('integer') refuses!: number;

  /** The time until which it does, because it is reached; in milliseconds since 1970. */
  @Column({ type: 'bigint', nullable: true }) refusedUntil!: number | null;
}
