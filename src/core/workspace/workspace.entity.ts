import { Column, Entity, Index, PrimaryGeneratedColumn, Unique } from 'typeorm';

/** A tenant: it owns API tokens and user groups, and shares nothing with another. */
@Entity('workspace')
@Unique(['name'])
@Index('workspace_public_id_key', ['publicId'], { unique: true })
export class Workspace {
  @PrimaryGeneratedColumn() id!: number;
  @Column({ type: 'text', collation: 'C' }) name!: string;

  /** Public id: random, without meaning, and constant. */
  @Column({ type: 'varchar', length: 35, collation: 'C' }) publicId!: string;
  @Column('bigint') createdAt!: number;

  /** `open` accepts any id in a mapping, `registered` accepts ids of the registry. */
  @Column('varchar', { length: 10, default: 'open' }) mappingPolicy!: 'open' | 'registered';

  /** JSON text of the declared variables of each user group. */
  @Column('text', { default: '[]' }) variables!: string;

  /** JSON text of schema ids: the required schemas of each user group. */
  @Column('text', { default: '[]' }) requiredSchemas!: string;

  /** The issuer of its embed tokens; null for the one by default. */
  @Column('text', { nullable: true }) embedTokenIssuer!: string | null;

  /** JSON text of the allowed audiences of embed tokens; empty allows any. */
  @Column('text', { default: '[]' }) embedTokenAudiences!: string;

  /** Maximum number of user groups, set by the operator; null for no limit. */
  @Column('integer', { nullable: true }) userGroupQuota!: number | null;

  /** Number of user groups, maintained while there is a quota; otherwise null. */
  @Column('integer', { nullable: true }) userGroupCount!: number | null;

  /** Grows with each change of its rules, and of the schemas and data sources that mappings name. */
  @Column('integer', { default: 0 }) rulesVersion!: number;

  /** Time of a change of its rules by which the flaws of its groups are not all checked yet, or null. */
  @Column('bigint', { nullable: true }) flawsUncheckedSince!: number | null;

  /** Whether embed tokens can be issued for somebody who acts for a group. */
  @Column('varchar', { length: 9, default: 'allowed' }) viewAs!: 'allowed' | 'forbidden';

  /** Number of times that all user-group tokens were ended: a token of an earlier epoch is ended. */
  @Column('integer', { default: 0 }) tokensEpoch!: number;

  /** Number of times that all embed tokens were ended. */
  @Column('integer', { default: 0 }) embedTokensEpoch!: number;

  /** User-group tokens issued before this are ended; null if none was ended together. */
  @Column('bigint', { nullable: true }) tokensEndedBefore!: number | null;

  /** Embed tokens issued before this are ended; null if none was ended together. */
  @Column('bigint', { nullable: true }) embedTokensEndedBefore!: number | null;
}
