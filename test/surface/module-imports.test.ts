import { ModulesContainer } from '@nestjs/core';
import type { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper.js';
import type { Module } from '@nestjs/core/injector/module.js';
import { AppModule } from '../../src/server/app/app.module.ts';
import { withService } from '../support/test-service.ts';

const service = withService('sqlite');

/** The modules whose providers an import of this one brings along. */
function broughtBy(module: Module): Module[] {
  const exported = [...module.imports].filter((one) => module.exports.has(one.metatype));
  return [module, ...exported.flatMap(broughtBy)];
}

/** Its types leave out that a class may inject nothing. */
type Injected = (InstanceWrapper | undefined)[] | undefined;

/** The modules that have what the constructors and factories of this one inject. */
function injectedInto({ providers, controllers }: Module): Set<Module | undefined> {
  const own = [...providers.values(), ...controllers.values()];
  const injected = own.flatMap((one) => (one.getCtorMetadata() as Injected) ?? []);
  return new Set(injected.map((one) => one?.host));
}

test('but for the application, a module imports those alone from which it injects something or exports it', () => {
  const all = [...service.app.get(ModulesContainer).values()];
  // The application composes modules whose providers it does not inject.
  const others = all.filter(({ metatype }) => metatype !== AppModule);
  const unneeded = others.flatMap((module) => {
    const used = injectedInto(module);
    return [...module.imports]
      .filter(
        (imported) =>
          !imported.isGlobal &&
          imported.exports.size > 0 &&
          !module.exports.has(imported.metatype) &&
          !broughtBy(imported).some((one) => used.has(one)),
      )
      .map((imported) => `${module.name} ${imported.name}`);
  });
  expect(unneeded).toEqual([]);
});
