import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A key this database has been written with; the key itself is never stored. */
@Entity('encryption_key')
export class EncryptionKeyRecord {
  @PrimaryColumn('varchar', { length: 32, primaryKeyConstraintName: 'encryption_key_pkey' })
  id!: string;

  /** Identifies the key without revealing anything about it. */
  @Column('blob', { name: 'check_value' })
  checkValue!: Buffer;

  @Column('bigint', { name: 'created_at' })
  createdAt!: number;

  /** When the operator gave the key up as lost; null while it is expected to be configured. */
  @Column('bigint', { name: 'forgotten_at', nullable: true })
  forgottenAt!: number | null;

  /**
   * How often it has encrypted, without the last few that are not yet counted, and without those of
   * older versions.
   */
  @Column('bigint', { default: 0 })
  encryptions!: number;
}
