import { ApiProperty } from '../../common/api-docs.ts';

class HealthAnswer {
  @ApiProperty({ description: '1: the answer is yes.', enum: [1], type: 'integer', example: 1 })
  success!: 1;
}

export class LiveAnswer extends HealthAnswer {
  @ApiProperty({ description: 'The process works.', enum: ['live'], example: 'live' })
  status!: 'live';
}

export class ReadyAnswer extends HealthAnswer {
  @ApiProperty({ description: 'It takes calls.', enum: ['ready'], example: 'ready' })
  status!: 'ready';
}
