import { ApiProperty } from '../api-docs.ts';

/** The answer of a DELETE. */
export class DeletedAnswer {
  @ApiProperty({ description: '1: it is gone.', enum: [1], type: 'integer', example: 1 })
  success!: 1;
}
