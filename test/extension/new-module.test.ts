import { Controller, Get, Module, Post } from '@nestjs/common';
import { Length } from 'class-validator';
import { AppModule } from '../../src/server/app/app.module.ts';
import { ApiTokenBootstrap } from '../../src/core/api-token/provisioning/api-token.bootstrap.ts';
import { Public, RequiresScope } from '../../src/platform/common/access/access.decorator.ts';
import { JsonBody } from '../../src/platform/common/json/json-body.decorator.ts';
import { createLog } from '../../src/platform/common/log.ts';
import { loadConfig } from '../../src/platform/config/load-config.ts';
import { createApp } from '../../src/server/app/create-app.ts';
import { buildOpenApi } from '../../src/server/app/openapi/openapi.ts';
import { prepareDatabase } from '../../src/platform/database/schema/migrate.ts';
import { ApiClient } from '../support/api/api-client.ts';
import { createTestDatabase } from '../support/database/databases.ts';
import { BOOTSTRAP_TOKEN } from '../support/process/processes.ts';

class ProbeDto {
  @Length(2, 5)
  word!: string;
}

@Controller('probe')
class ProbeController {
  @Post('word')
  @RequiresScope('admin')
  word(@JsonBody(ProbeDto) dto: ProbeDto) {
    return { success: 1, word: dto.word };
  }

  @Get('open')
  @Public()
  open() {
    return { success: 1 };
  }

  @Get('declared')
  @RequiresScope('admin')
  declared() {
    return { success: 1 };
  }
}

@Controller('careless')
class CarelessController {
  @Get('forgotten')
  forgotten() {
    return { success: 1 };
  }

  @Get('contradictory')
  @Public()
  @RequiresScope('admin')
  contradictory() {
    return { success: 1 };
  }
}

test('a handler that does not say who may call it stops the start', async () => {
  const database = await createTestDatabase('sqlite');
  const config = loadConfig(database.env);
  await prepareDatabase(config);

  @Module({ imports: [AppModule.with(config)], controllers: [ProbeController, CarelessController] })
  class CarelessModule {}

  const log = await createLog({ ...config, logLevel: 'silent' });
  await expect(createApp(config, log, CarelessModule)).rejects.toThrow(
    /@RequiresScope or @Public: CarelessController.forgotten, CarelessController.contradictory$/,
  );
  await database.drop();
});

test('a new module is open to those with the scope it declares, and its bodies are checked', async () => {
  const database = await createTestDatabase('sqlite');
  const config = loadConfig({ ...database.env, BOOTSTRAP_API_TOKEN: BOOTSTRAP_TOKEN });
  await prepareDatabase(config);

  @Module({ imports: [AppModule.with(config)], controllers: [ProbeController] })
  class ExtendedModule {}

  const app = await createApp(
    config,
    await createLog({ ...config, logLevel: 'silent' }),
    ExtendedModule,
  );
  await app.init();
  await app.get(ApiTokenBootstrap).run();
  await app.listen(0, '127.0.0.1');
  const api = new ApiClient(await app.getUrl(), BOOTSTRAP_TOKEN);
  const declared = await api.send({ method: 'GET', path: '/probe/declared' });
  expect([declared.status, declared.body.success]).toEqual([200, 1]);
  const anonymous = await new ApiClient(await app.getUrl()).send({
    method: 'GET',
    path: '/probe/declared',
  });
  expect(anonymous.status).toBe(401);
  const open = await new ApiClient(await app.getUrl()).call('GET', '/probe/open');
  expect([open.status, open.body.success]).toEqual([200, 1]);
  // class-validator's own decorators hold together with the project's.
  const word = (body: object) => api.send({ method: 'POST', path: '/probe/word', body });
  expect((await word({ word: 'abc' })).status).toBe(201);
  for (const wrong of [{}, { word: 7 }, { word: 'a' }]) {
    const { status, body } = await word(wrong);
    expect([status, body.errors[0]!.pointer, body.errors[0]!.code]).toEqual([
      422,
      '/word',
      'not_acceptable',
    ]);
  }
  const { paths } = await buildOpenApi(app, config);
  expect(paths['/probe/declared']!.get!.description).toBe('Required scope: `admin`.');
  await app.close();
  await database.drop();
});
