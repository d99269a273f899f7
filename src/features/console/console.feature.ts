import type { ModuleRef } from '@nestjs/core';
import type { Express, Request } from 'express';
import { defineFeature } from '../../platform/common/extension/feature.ts';
import type { Config } from '../../platform/config/config.ts';
import { consoleCalls } from './console-calls.ts';
import { ConsoleSite } from './console-site.ts';
import { ConsoleModule } from './console.module.ts';
import { serveConsole } from './serve-console.ts';
import { ConsoleSession } from './session/console-session.entity.ts';
import { ConsoleSessionGuard } from './session/console-session.guard.ts';

export const operatorConsole = defineFeature({
  name: 'console',
  about: 'The page for operators; it hides what the service does not serve.',
  // Its pages call these whatever the scopes of the session, and the scope admin hides nothing else.
  needs: ['user-groups', 'introspection', 'api-tokens'],
  modules: [ConsoleModule],
  entities: [ConsoleSession],
});

/**
 * Serves the page of the console, on an application with `ConsoleModule`.
 * @param prefix the prefix of `/console` and `/api`, such as `/internal`
 * @returns the steps of each request before any route, and whether there is a page
 */
export function mountConsole(
  modules: Pick<ModuleRef, 'get'>,
  express: Express,
  { consoleDirectory: directory }: Config,
  prefix = '',
): { steps: ((request: Request) => void)[]; hasPage: boolean } {
  const of = { strict: false };
  const anyCase = !express.enabled('case sensitive routing');
  const step = consoleCalls(modules.get(ConsoleSessionGuard, of), modules.get(ConsoleSite, of), {
    prefix,
    anyCase,
  });
  return { steps: [step], hasPage: serveConsole(express, { directory, prefix }) };
}
