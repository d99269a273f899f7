import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { UserGroup } from './user-group.entity.ts';

/** A rotation done under an `Idempotency-Key`, with everything that its answer contains except the token. */
@Entity('idempotency_key')
@Index('idempotency_key_user_group_id_idx', ['userGroupId'])
@Index('idempotency_key_created_at_idx', ['createdAt'])
export class IdempotencyKey {
  @PrimaryColumn('integer', {
    name: 'workspace_id',
    primaryKeyConstraintName: 'idempotency_key_pkey',
  })
  workspaceId!: number;

  /** SHA-256 of API token and key, which might be a secret of the caller. */
  @PrimaryColumn('blob', { name: 'key_hash', primaryKeyConstraintName: 'idempotency_key_pkey' })
  keyHash!: Buffer;

  /** SHA-256 of the request. */
  @Column('blob', { name: 'request_hash' })
  requestHash!: Buffer;

  @Column('integer', { name: 'user_group_id' })
  userGroupId!: number;

  @ManyToOne(() => UserGroup, { onDelete: 'CASCADE' })
  @JoinColumn({
    name: 'user_group_id',
    foreignKeyConstraintName: 'idempotency_key_user_group_id_fkey',
  })
  userGroup?: never;

  /** The generation that the rotation issued. */
  @Column('integer')
  generation!: number;

  /** The group's name as it was answered. */
  @Column('text')
  name!: string;

  @Column('bigint', { name: 'created_at' })
  createdAt!: number;
}
