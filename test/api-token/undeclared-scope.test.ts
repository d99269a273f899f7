import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from '../../src/app.module';
import { ApiTokenBootstrap } from '../../src/api-token/api-token.bootstrap';
import { RequiresScope } from '../../src/common/access.decorator';
import { loadConfig } from '../../src/config/load-config';
import { prepareDatabase } from '../../src/database/migrate';
import { ApiClient } from '../support/api-client';
import { createTestDatabase } from '../support/databases';
import { BOOTSTRAP_TOKEN } from '../support/processes';

@Controller('probe')
class ProbeController {
  @Get('forgotten')
  forgotten() {
    return { success: 1 };
  }

  @Get('declared')
  @RequiresScope('admin')
  declared() {
    return { success: 1 };
  }
}

test('a handler of a new module that declares no scope is closed to everybody', async () => {
  const database = await createTestDatabase('sqlite');
  const config = loadConfig({ ...database.env, BOOTSTRAP_API_TOKEN: BOOTSTRAP_TOKEN });
  await prepareDatabase(config);

  @Module({ imports: [AppModule.with(config)], controllers: [ProbeController] })
  class ExtendedModule {}

  const app = await NestFactory.create<NestExpressApplication>(ExtendedModule, { logger: false });
  await app.get(ApiTokenBootstrap).run();
  await app.listen(0, '127.0.0.1');
  const api = new ApiClient(await app.getUrl(), BOOTSTRAP_TOKEN);
  const forgotten = await api.send({ method: 'GET', path: '/probe/forgotten' });
  expect([forgotten.status, forgotten.body.success]).toEqual([500, 0]);
  const declared = await api.send({ method: 'GET', path: '/probe/declared' });
  expect([declared.status, declared.body.success]).toEqual([200, 1]);
  const anonymous = await new ApiClient(await app.getUrl()).send({
    method: 'GET',
    path: '/probe/declared',
  });
  expect(anonymous.status).toBe(401);
  await app.close();
  await database.drop();
});
