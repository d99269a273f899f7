import { Column, Entity, ManyToOne, OneToMany, PrimaryGeneratedColumn, Unique } from 'typeorm';

@Entity('api_token')
export class ApiToken {
  @PrimaryGeneratedColumn()
  id!: number;

  @Column({ unique: true })
  hash!: string;
}

@Entity('user_group')
@Unique(['apiToken', 'providedId'])
export class UserGroup {
  @PrimaryGeneratedColumn()
  id!: number;

  @ManyToOne(() => ApiToken, { nullable: false })
  apiToken!: ApiToken;

  @Column()
  providedId!: string;

  @Column()
  name!: string;

  @Column('jsonb', { default: {} })
  properties!: Record<string, unknown>;

  @OneToMany(() => UserGroupToken, (token) => token.userGroup, { cascade: true })
  tokens!: UserGroupToken[];
}

@Entity('user_group_token')
export class UserGroupToken {
  @PrimaryGeneratedColumn()
  id!: number;

  @ManyToOne(() => UserGroup, (group) => group.tokens, { nullable: false })
  userGroup!: UserGroup;

  @Column({ unique: true })
  value!: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;
}
