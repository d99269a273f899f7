import { Column, Entity, ForeignKey, PrimaryGeneratedColumn, Unique } from 'typeorm';

/** An entry of the registry, which mappings refer to. */
abstract class Registered {
  @PrimaryGeneratedColumn() id!: number;

  @ForeignKey('workspace', { onDelete: 'RESTRICT' })
  @Column('integer')
  workspaceId!: number;

  /** The host application's own id; it never changes, because stored mappings refer to it. */
  @Column({ type: 'text', collation: 'C' }) providedId!: string;
  @Column('text') name!: string;
  @Column('bigint') createdAt!: number;
  @Column('bigint') updatedAt!: number;
}

/** A set of tables that dashboards are written against; a key of a `mapping` names it. */
@Entity('registered_schema')
@Unique(['workspaceId', 'providedId'])
export class RegisteredSchema extends Registered {}

/** A database that can be queried; a value of a `mapping` names it. */
@Entity('registered_data_source')
@Unique(['workspaceId', 'providedId'])
export class RegisteredDataSource extends Registered {}
