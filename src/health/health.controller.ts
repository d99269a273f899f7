import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '../common/api-docs.ts';
import { Public } from '../common/access.decorator.ts';
import { DatabaseUnavailable, MigrationsPending, Starting } from '../common/errors.ts';
import { ApiPublicProblems } from '../common/problem.dto.ts';
import { LiveAnswer, ReadyAnswer } from './dto/health-answer.dto.ts';
import { Readiness } from './readiness.ts';

@ApiTags('Health')
@Controller('health')
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  @Get('live')
  @Public({ gated: false })
  @ApiOperation({
    operationId: 'getLiveness',
    summary: 'Whether the process works',
    description:
      'Answered without the database: a process that cannot reach its database is no better after a restart. Needs no API token.',
  })
  @ApiOkResponse({ description: 'It does.', type: LiveAnswer })
  @ApiPublicProblems()
  live(): LiveAnswer {
    return { success: 1, status: 'live' };
  }

  @Get('ready')
  @Public({ gated: false })
  @ApiOperation({
    operationId: 'getReadiness',
    summary: 'Whether calls should be sent to this process',
    description:
      '503 while its database cannot be reached (`database_unavailable`) or lacks a migration (`migrations_pending`), before the first API token is there (`starting`), and from SIGTERM on (`shutting_down`). The database is asked at most once a second. Needs no API token.',
  })
  @ApiOkResponse({ description: 'They should.', type: ReadyAnswer })
  @ApiPublicProblems(DatabaseUnavailable, MigrationsPending, Starting)
  async ready(): Promise<ReadyAnswer> {
    await this.readiness.require();
    return { success: 1, status: 'ready' };
  }
}
