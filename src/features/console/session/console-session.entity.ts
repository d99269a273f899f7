import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';

/** A sign-in to the console. It never grants more than its API token does now. */
@Entity('console_session')
@Unique(['secretHash'])
@Index('console_session_workspace_id_idx', ['workspaceId', 'lastUsedAt'])
@Index('console_session_api_token_id_idx', ['apiTokenId', 'lastUsedAt'])
@Index(['lastUsedAt'])
export class ConsoleSession {
  /** Random, so that nobody can count the sessions of others. */
  @PrimaryColumn('bigint') id!: number;

  @ForeignKey('workspace', { onDelete: 'RESTRICT' })
  @Column('integer')
  workspaceId!: number;
  @Column('blob') secretHash!: Buffer;

  /** The API token used, or the one that stands for the person: its scopes, end and addresses apply to the session. */
  @ForeignKey('api_token', { onDelete: 'CASCADE' })
  @Column('integer')
  apiTokenId!: number;
  @Column('bigint') createdAt!: number;

  /** Updated at most once a minute. */
  @Column('bigint') lastUsedAt!: number;

  /** Ends then, even if it is used. */
  @Column('bigint') expiresAt!: number;
  @Column('text', { nullable: true }) address!: string | null;
  @Column('text', { nullable: true }) userAgent!: string | null;
}
