import { Column, Entity, Index, PrimaryGeneratedColumn, Unique } from 'typeorm';

/** A tenant: it owns API tokens and user groups, and shares nothing with another. */
@Entity('workspace')
@Unique(['name'])
@Index('workspace_public_id_key', ['publicId'], { unique: true })
export class Workspace {
  @PrimaryGeneratedColumn() id!: number;
  @Column('text') name!: string;

  /** Public id: random, without meaning, and constant. */
  @Column('varchar', { length: 35 }) publicId!: string;
  @Column('bigint') createdAt!: number;

  /** `open` accepts any id in a mapping, `registered` accepts ids of the registry. */
  @Column('varchar', { length: 10, default: 'open' }) mappingPolicy!: 'open' | 'registered';

  /** JSON text of `{name, type}` objects: the required properties of each user group. */
  @Column('text', { default: '[]' }) requiredProperties!: string;

  /** JSON text of schema ids: the required schemas of each user group. */
  @Column('text', { default: '[]' }) requiredSchemas!: string;

  /** The issuer of its embed tokens; null means `EMBED_TOKEN_ISSUER`. */
  @Column('text', { nullable: true }) embedTokenIssuer!: string | null;

  /** JSON text of the allowed audiences of embed tokens; empty allows any. */
  @Column('text', { default: '[]' }) embedTokenAudiences!: string;

  /** Maximum number of user groups, set by the operator; null for no limit. */
  @Column('integer', { nullable: true }) userGroupQuota!: number | null;

  /** Number of user groups, maintained while there is a quota; otherwise null. */
  @Column('integer', { nullable: true }) userGroupCount!: number | null;

  /** Grows with each change of its rules, and of the registered things that mappings name. */
  @Column('integer', { default: 0 }) rulesVersion!: number;
}
