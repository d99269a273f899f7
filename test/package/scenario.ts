// The calls that each application makes of the installed package. The test copies this file there, and the
// application's tools compile it.
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  type Bucket,
  Introspector,
  operator,
  RateLimitStore,
  Tokens,
  UserGroupEvents,
  UserGroupServiceModule,
  UserGroups,
} from 'user-group-service';
import { createTestUserGroups } from 'user-group-service/testing';

const WORKSPACE = 1;

/** Boots on SQLite, creates, rotates and introspects, takes the place of a port, and hears an event. */
export async function runScenario(): Promise<object> {
  const { options, apiToken, remove } = createTestUserGroups();
  const counted: string[] = [];

  class CountingStore extends RateLimitStore {
    take(buckets: readonly Bucket[], wanted: number) {
      counted.push(...buckets.map(({ key }) => key));
      const states = buckets.map(({ perMinute }) => ({
        remaining: perMinute,
        resetMs: 0,
        retryMs: 0,
      }));
      return Promise.resolve({ granted: wanted, states });
    }
  }

  @Module({
    imports: [
      UserGroupServiceModule.forRootAsync({
        useFactory: () => ({ ...options, rateLimitPerMinute: 1000 }),
        http: { prefix: 'internal', console: true },
        ports: [{ provide: RateLimitStore, useClass: CountingStore }],
      }),
    ],
  })
  class ApplicationModule {}

  const app = await NestFactory.create(ApplicationModule, { logger: false, abortOnError: false });
  try {
    await app.listen(0, '127.0.0.1');
    const caller = operator(WORKSPACE);
    const events = app.get(UserGroupEvents);
    let heard: string | undefined;
    const end = events.listen({
      name: 'scenario',
      onChange: ({ type, user_group }) => {
        if (user_group?.provided_id.startsWith('told')) heard ??= type;
      },
    });

    const answer = await fetch(`${await app.getUrl()}/internal/api/user`, {
      method: 'PUT',
      headers: { Authorization: `Token ${apiToken}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ user_group_id: 'acme', name: 'Acme' }),
    });
    const page = await fetch(`${await app.getUrl()}/internal/console/`);
    const { user_group } = (await answer.json()) as { user_group: { token: string } };
    const rotated = await app.get(Tokens).rotate(caller, { current_token: user_group.token });
    const { active, sub } = await app
      .get(Introspector)
      .introspect(caller, { token: rotated.user_group.token });
    const old = await app.get(Introspector).introspect(caller, { token: user_group.token });
    for (let tries = 0; heard === undefined; tries++) {
      await app.get(UserGroups).put(caller, { user_group_id: `told ${tries}`, name: 'T' });
    }
    end();
    return {
      status: answer.status,
      page: page.headers.get('content-type'),
      active,
      sub,
      old,
      counted,
      heard,
    };
  } finally {
    await app.close();
    remove();
  }
}

/** The result of `runScenario` in every application. */
export const expected = {
  status: 200,
  page: 'text/html; charset=utf-8',
  active: true,
  sub: 'acme',
  old: { active: false },
  counted: ['api-token:1', 'workspace:1'],
  heard: 'user_group.create',
};
