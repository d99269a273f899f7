import { Controller, Get, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { RequiresScope } from '../common/access.decorator.ts';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiTags } from '../common/api-docs.ts';
import { type Caller, CurrentCaller } from '../common/caller.ts';
import { EventsGone } from '../common/errors.ts';
import { QueryOf } from '../common/http/query.decorator.ts';
import { ApiReadProblems } from '../common/problem.dto.ts';
import { EventsAnswer } from './dto/event-answer.dto.ts';
import { EventQueryDto, EventStreamQueryDto } from './dto/event-query.dto.ts';
import { EventService } from './event.service.ts';
import { EventStreams } from './event-streams.ts';

@ApiTags('Events')
@Controller('api/v1/events')
export class EventController {
  constructor(
    private readonly events: EventService,
    private readonly streams: EventStreams,
  ) {}

  @Get()
  @RequiresScope('events:read', { gated: false })
  @ApiOperation({
    operationId: 'listEvents',
    summary: 'List events',
    description:
      'What has changed in the workspace, oldest first: each change of a group, its tokens, an API token, and whatever all groups depend on. Every event comes at least once; where one comes again it has the same `id`. Call again with `after` set to `next_cursor`, and with `wait` to be answered as soon as something happens. Events are kept for EVENT_RETENTION_HOURS: whoever comes later is told so with a 410. They say what has changed, not how, and never hold a token.',
  })
  @ApiOkResponse({ type: EventsAnswer, description: 'The events behind the cursor.' })
  @ApiReadProblems(EventsGone)
  list(
    @CurrentCaller() caller: Caller,
    @QueryOf(EventQueryDto) query: EventQueryDto,
    @Req() { socket }: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<EventsAnswer> {
    const gone = new AbortController();
    const abort = () => {
      gone.abort();
    };
    // Who closes only its own half is answered at once, and can ask again.
    socket.once('end', abort);
    response.on('close', () => {
      socket.off('end', abort);
      abort();
    });
    return this.events.list(caller, query, gone.signal);
  }

  @Get('stream')
  @RequiresScope('events:read', { gated: false })
  @ApiOperation({
    operationId: 'streamEvents',
    summary: 'Follow events',
    description:
      'The events as they happen, as server-sent events. `change` has one in its data. `current` comes at least four times a second and says that everything which was committed before `at` has been told; `open` begins the stream with the moment of the same clock, in milliseconds, at which the call arrived. So a reader that noted by its own clock when it made the call knows for how long it has missed nothing. Nothing is current while `current` does not come. Resume with the last `id` as `Last-Event-ID`: `open` has the one at which the stream begins, and of events that are sent together the last. The stream ends after five minutes at the latest, before a restart, or when its reader is too slow: `end` says why. At most 50 streams and waiting calls of an API token at once.',
  })
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
          'retry: 500\nid: azE.FgX\nevent: open\ndata: {"at":81734.2}\n\nid: azE.dGhl\nevent: change\ndata: {"id":5377108433215711,"type":"user_group.suspend","time":"2030-01-01T12:00:00.000Z","user_group":{"team_id":7,"user_group_id":"acme-emea","version":3}}\n\nevent: current\ndata: {"at":81984.7,"time":"2030-01-01T12:00:00.250Z"}\n\n',
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
