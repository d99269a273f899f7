import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A key this database has been written with; the key itself is never stored. */
@Entity('encryption_key')
export class EncryptionKeyRecord {
  @PrimaryColumn('varchar', { length: 32, primaryKeyConstraintName: 'encryption_key_pkey' })
  id!: string;

  /** Tells whether a configured key is this one, without telling anything about it. */
  @Column('blob', { name: 'check_value' })
  checkValue!: Buffer;

  @Column('bigint', { name: 'created_at' })
  createdAt!: number;

  /** When the operator gave it up as lost; null while it is expected to be there. */
  @Column('bigint', { name: 'forgotten_at', nullable: true })
  forgottenAt!: number | null;

  /** How often it has encrypted, with the last few not yet counted; 0 for what an older version did. */
  @Column('bigint', { default: 0 })
  encryptions!: number;
}
