import {
  Column,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryGeneratedColumn,
  Unique,
} from 'typeorm';
import { Workspace } from '../workspace/workspace.entity.ts';

/**
 * A credential with which a host application calls the API. The token itself is shown once and
 * never stored.
 */
@Entity('api_token')
@Unique('api_token_token_hash_key', ['tokenHash'])
@Index('api_token_workspace_id_idx', ['workspaceId'])
export class ApiToken {
  @PrimaryGeneratedColumn({ primaryKeyConstraintName: 'api_token_pkey' })
  id!: number;

  @Column('integer', { name: 'workspace_id' })
  workspaceId!: number;

  /** Declares the foreign key; code uses the id alone. */
  @ManyToOne(() => Workspace, { onDelete: 'RESTRICT' })
  @JoinColumn({ name: 'workspace_id', foreignKeyConstraintName: 'api_token_workspace_id_fkey' })
  workspace?: never;

  @Column('text')
  name!: string;

  /** SHA-256 of the token. */
  @Column('blob', { name: 'token_hash' })
  tokenHash!: Buffer;

  /** The token's last four characters, so that people can tell tokens apart. */
  @Column('varchar', { name: 'last_four', length: 4 })
  lastFour!: string;

  /** Scope names, separated by spaces. */
  @Column('text')
  scopes!: string;

  @Column('bigint', { name: 'created_at' })
  createdAt!: number;

  @Column('bigint', { name: 'expires_at', nullable: true })
  expiresAt!: number | null;

  /** Updated at most once a minute, after the call. */
  @Column('bigint', { name: 'last_used_at', nullable: true })
  lastUsedAt!: number | null;

  @Column('bigint', { name: 'revoked_at', nullable: true })
  revokedAt!: number | null;

  /** Addresses and CIDR ranges it may be used from, separated by spaces; null is anywhere. */
  @Column('text', { name: 'allowed_cidrs', nullable: true })
  allowedCidrs!: string | null;

  /** The token that replaced it in a rotation; until `expiresAt` both are valid. */
  @Column('integer', { name: 'superseded_by', nullable: true })
  supersededBy!: number | null;

  /** The first token of its chain of rotations; null if no rotation issued it. */
  @Column('integer', { name: 'first_token_id', nullable: true })
  firstTokenId!: number | null;

  /**
   * The person who signs in to the console by it: the issuer and the subject of OpenID Connect, with `#`
   * between. Null for a token that somebody holds.
   */
  @Column('text', { nullable: true })
  subject!: string | null;
}
