import { SuccessResponse } from '../../common/http/responses/response.ts';
import { Constant } from '../../common/fields.ts';

export class LiveResponse extends SuccessResponse {
  @Constant('live', 'The process works.')
  status!: 'live';
}

export class ReadyResponse extends SuccessResponse {
  @Constant('ready', 'It takes calls.')
  status!: 'ready';
}
