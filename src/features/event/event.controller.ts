import { Controller, Get, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import {
  type Caller,
  CurrentCaller,
  RequiresScope,
} from '../../platform/common/access/access.decorator.ts';
import { ApiHeader, ApiOkResponse } from '../../platform/common/api-docs.ts';
import { ApiReadProblems, ApiTags, Ok, Operation } from '../../platform/common/operation.ts';
import { EventsGone } from './feed/event.errors.ts';
import { QueryOf } from '../../platform/common/http/parameters/request-params.ts';
import { EventsResponse } from './feed/dto/event-response.dto.ts';
import { EventQueryDto, EventStreamQueryDto } from './feed/dto/event-query.dto.ts';
import { EventService } from './feed/event.service.ts';
import { EventStreams } from './stream/event-streams.ts';

@ApiTags('Events')
@Controller('api/v1/events')
export class EventController {
  constructor(
    private readonly events: EventService,
    private readonly streams: EventStreams,
  ) {}

  @Get()
  @RequiresScope('events:read', { gated: false })
  @Operation(
    'listEvents',
    'List events',
    'The changes of the workspace, oldest first: each change of a group, its tokens, an API token, and of everything that all groups depend on. Every event comes at least once; a repeated one has the same `id`. Call again with `after` set to `next_cursor`, and with `wait` to get a response as soon as something happens. Events are kept for EVENT_RETENTION_HOURS: a later request gets a 410. They say what has changed, not how, and never hold a token.',
  )
  @Ok(EventsResponse, 'The events behind the cursor.')
  @ApiReadProblems(EventsGone)
  list(
    @CurrentCaller() caller: Caller,
    @QueryOf(EventQueryDto) query: EventQueryDto,
    @Req() { socket }: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<EventsResponse> {
    const gone = new AbortController();
    const abort = () => {
      gone.abort();
    };
    // A client that closes only its own half gets its response at once, and can ask again.
    socket.once('end', abort);
    response.on('close', () => {
      socket.off('end', abort);
      abort();
    });
    return this.events.list(caller, query, gone.signal);
  }

  @Get('stream')
  @RequiresScope('events:read', { gated: false })
  @Operation(
    'streamEvents',
    'Follow events',
    'Returns the events as they happen, as server-sent events. `change` has one in its data. `open` begins the stream with the time in milliseconds at which the call arrived. `current` comes at least four times a second and says that every event before `at`, by the same clock, has been sent; until it comes, events may be missing. Resume with the last `id` as `Last-Event-ID`: `open` has the one at which the stream begins, and of events that are sent together the last. The stream ends after five minutes at the latest, before a restart, or when its reader is too slow: `end` says why. At most 50 streams and waiting calls of an API token at once.',
  )
  @ApiHeader({
    name: 'Last-Event-ID',
    description: 'The `id` of the last event that was received.',
    required: false,
  })
  @ApiOkResponse({
    description: 'Server-sent events: `open`, `change`, `current` and `end`.',
    content: {
      'text/event-stream': {
        schema: { type: 'string' },
        example:
          'retry: 500\nid: azE.FgX\nevent: open\ndata: {"at":81734.2}\n\nid: azE.dGhl\nevent: change\ndata: {"id":"evt_5377108433215711","type":"user_group.suspend","occurred_at":"2030-01-01T12:00:00.000Z","user_group":{"team_id":7,"provided_id":"acme-emea","version":3}}\n\nevent: current\ndata: {"at":81984.7,"time":"2030-01-01T12:00:00.250Z"}\n\n',
      },
    },
  })
  @ApiReadProblems(EventsGone)
  stream(
    @CurrentCaller() caller: Caller,
    @QueryOf(EventStreamQueryDto) query: EventStreamQueryDto,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.streams.begin(caller, query, request.get('Last-Event-ID'), response);
  }
}
