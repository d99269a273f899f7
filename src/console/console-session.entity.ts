import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, Unique } from 'typeorm';
import { ApiToken } from '../api-token/api-token.entity.ts';
import { Workspace } from '../workspace/workspace.entity.ts';

/** A sign-in of somebody to the console. It opens nothing that what it was made with does not open now. */
@Entity('console_session')
@Unique('console_session_secret_hash_key', ['secretHash'])
@Index('console_session_workspace_id_idx', ['workspaceId', 'lastUsedAt'])
@Index('console_session_api_token_id_idx', ['apiTokenId', 'lastUsedAt'])
@Index('console_session_last_used_at_idx', ['lastUsedAt'])
export class ConsoleSession {
  /** Random, so that nobody can count the sessions of others. */
  @PrimaryColumn('bigint', { primaryKeyConstraintName: 'console_session_pkey' })
  id!: number;

  @Column('integer', { name: 'workspace_id' })
  workspaceId!: number;

  @ManyToOne(() => Workspace, { onDelete: 'RESTRICT' })
  @JoinColumn({
    name: 'workspace_id',
    foreignKeyConstraintName: 'console_session_workspace_id_fkey',
  })
  workspace?: never;

  /** SHA-256 of what the cookie holds. */
  @Column('blob', { name: 'secret_hash' })
  secretHash!: Buffer;

  /** What signed in, or stands for who did: its scopes, end and addresses are those of the session. */
  @Column('integer', { name: 'api_token_id' })
  apiTokenId!: number;

  @ManyToOne(() => ApiToken, { onDelete: 'CASCADE' })
  @JoinColumn({
    name: 'api_token_id',
    foreignKeyConstraintName: 'console_session_api_token_id_fkey',
  })
  apiToken?: never;

  @Column('bigint', { name: 'created_at' })
  createdAt!: number;

  /** Updated at most once a minute. */
  @Column('bigint', { name: 'last_used_at' })
  lastUsedAt!: number;

  /** When it ends, however much it is used. */
  @Column('bigint', { name: 'expires_at' })
  expiresAt!: number;

  /** Of the client that signed in. */
  @Column('text', { nullable: true })
  address!: string | null;

  @Column('text', { name: 'user_agent', nullable: true })
  userAgent!: string | null;
}
