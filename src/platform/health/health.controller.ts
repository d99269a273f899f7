import { Controller, Get } from '@nestjs/common';
import { ApiPublicProblems, ApiTags, Ok, Operation } from '../common/operation.ts';
import { Public } from '../common/access/access.decorator.ts';
import { DatabaseUnavailable, MigrationsPending, Starting } from '../common/problem/errors.ts';
import { LiveResponse, ReadyResponse } from './dto/health-response.dto.ts';
import { Readiness } from './readiness.ts';

@ApiTags('Health')
@Controller('health')
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  @Get('live')
  @Public({ gated: false })
  @Operation(
    'getLiveness',
    'Whether the process works',
    'Does not use the database: a process that cannot reach its database is no better after a restart. Needs no API token.',
  )
  @Ok(LiveResponse, 'The process works.')
  @ApiPublicProblems()
  live(): LiveResponse {
    return { success: 1, status: 'live' };
  }

  @Get('ready')
  @Public({ gated: false })
  @Operation(
    'getReadiness',
    'Check whether the process takes requests',
    '503 while its database cannot be reached (`database_unavailable`) or lacks a migration (`migrations_pending`), before the first API token is there (`starting`), and from SIGTERM on (`shutting_down`). The database is asked at most once a second. Needs no API token.',
  )
  @Ok(ReadyResponse, 'The process takes requests.')
  @ApiPublicProblems(DatabaseUnavailable, MigrationsPending, Starting)
  async ready(): Promise<ReadyResponse> {
    await this.readiness.require();
    return { success: 1, status: 'ready' };
  }
}
