import { Column, Entity, ForeignKey, Index, PrimaryGeneratedColumn, Unique } from 'typeorm';

/** A credential with which a host application calls the API. The token itself is shown once and never stored. */
@Entity('api_token')
@Unique(['tokenHash'])
@Index(['workspaceId'])
export class ApiToken {
  @PrimaryGeneratedColumn() id!: number;

  @ForeignKey('workspace', { onDelete: 'RESTRICT' })
  @Column('integer')
  workspaceId!: number;
  @Column('text') name!: string;
  @Column('blob') tokenHash!: Buffer;

  /** The last four characters, so that people can tell tokens apart. */
  @Column('varchar', { length: 4 }) lastFour!: string;

  /** Scope names, separated by spaces. */
  @Column('text') scopes!: string;
  @Column('bigint') createdAt!: number;
  @Column('bigint', { nullable: true }) expiresAt!: number | null;

  /** Updated at most once a minute, after the call. */
  @Column('bigint', { nullable: true }) lastUsedAt!: number | null;
  @Column('bigint', { nullable: true }) revokedAt!: number | null;

  /** Allowed addresses and CIDR ranges, separated by spaces; null allows any address. */
  @Column('text', { nullable: true }) allowedCidrs!: string | null;

  /** JSON text of the user groups that it is for; null for all. */
  @Column('text', { nullable: true }) userGroups!: string | null;

  /** The token that replaced it in a rotation; until `expiresAt` both are valid. */
  @Column('integer', { nullable: true }) supersededBy!: number | null;

  /** The first token of its chain of rotations; null if no rotation issued it. */
  @Column('integer', { nullable: true }) firstTokenId!: number | null;

  /** The person who signs in to the console with it: issuer and subject of OpenID Connect, joined with `#`. Null for an ordinary token. */
  @Column('text', { nullable: true }) subject!: string | null;
}
