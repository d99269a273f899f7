import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A key this database has been written with; the key itself is never stored. */
@Entity('encryption_key')
export class EncryptionKeyRecord {
  @PrimaryColumn({ type: 'varchar', length: 32, collation: 'C' }) id!: string;

  /** Identifies the key without revealing anything about it. */
  @Column('blob') checkValue!: Buffer;
  @Column('bigint') createdAt!: number;

  /** Time when the operator declared the key lost; null while it must be configured. */
  @Column('bigint', { nullable: true }) forgottenAt!: number | null;

  /** Number of encryptions, without the last few that are not yet counted, and without those of older versions. */
  @Column('bigint', { default: 0 }) encryptions!: number;
}
