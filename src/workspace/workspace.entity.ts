import { Column, Entity, Index, PrimaryGeneratedColumn, Unique } from 'typeorm';

/** A tenant: it owns API tokens and user groups, and shares nothing with another. */
@Entity('workspace')
@Unique('workspace_name_key', ['name'])
@Index('workspace_public_id_key', ['publicId'], { unique: true })
export class Workspace {
  @PrimaryGeneratedColumn({ primaryKeyConstraintName: 'workspace_pkey' })
  id!: number;

  @Column('text')
  name!: string;

  /** Identifies the workspace to the outside: random, without meaning, and constant. */
  @Column('varchar', { name: 'public_id', length: 35, nullable: true })
  publicId!: string;

  /** Milliseconds since 1970-01-01T00:00Z, like every time in the database. */
  @Column('bigint', { name: 'created_at' })
  createdAt!: number;

  /** What a mapping may name: `open` takes any id, `registered` those of the registry. */
  @Column('varchar', { name: 'mapping_policy', length: 10, default: 'open' })
  mappingPolicy!: 'open' | 'registered';

  /** JSON text of `{name, type}` objects: the properties that each user group must have. */
  @Column('text', { name: 'required_properties', default: '[]' })
  requiredProperties!: string;

  /** JSON text of schema ids: the schemas that each user group must map. */
  @Column('text', { name: 'required_schemas', default: '[]' })
  requiredSchemas!: string;

  /** The issuer that its embed tokens name; null for `EMBED_TOKEN_ISSUER`. */
  @Column('text', { name: 'embed_token_issuer', nullable: true })
  embedTokenIssuer!: string | null;

  /** JSON text of the audiences that embed tokens may be issued for; empty for any. */
  @Column('text', { name: 'embed_token_audiences', default: '[]' })
  embedTokenAudiences!: string;

  /** The most user groups it may have, set by the operator; null for any number. */
  @Column('integer', { name: 'user_group_quota', nullable: true })
  userGroupQuota!: number | null;

  /** How many it has, counted while there is a quota; else null. */
  @Column('integer', { name: 'user_group_count', nullable: true })
  userGroupCount!: number | null;
}
