import { defineFeature } from '../../platform/common/extension/feature.ts';
import { consoleCalls } from './console-calls.ts';
import { ConsoleSite } from './console-site.ts';
import { ConsoleModule } from './console.module.ts';
import { ConsoleSettings } from './console.settings.ts';
import { serveConsole } from './serve-console.ts';
import { ConsoleSession } from './session/console-session.entity.ts';
import { ConsoleSessionGuard } from './session/console-session.guard.ts';
import { consoleActions } from './console.catalogue.ts';
import * as problems from './console.errors.ts';

export const operatorConsole = defineFeature({
  name: 'console',
  about: 'The page for operators; it hides what the service does not serve.',
  // Its pages call these whatever the scopes of the session, and the scope admin hides nothing else.
  needs: ['user-groups', 'introspection', 'api-tokens'],
  switchedBy: 'console',
  page: '/console',
  actions: consoleActions,
  problems,
  modules: [ConsoleModule],
  entities: [ConsoleSession],
  rights: {
    console_session: 'SELECT, INSERT, UPDATE, DELETE',
  },
  settings: ConsoleSettings,
  mounted: ['GET /console', 'GET /console/assets/*file', 'ALL /console/api/*path'],
  mount: (modules, express, prefix) => {
    const of = { strict: false };
    const { consoleDirectory: directory } = modules.get(ConsoleSettings, of);
    const step = consoleCalls(modules.get(ConsoleSessionGuard, of), modules.get(ConsoleSite, of), {
      prefix,
      anyCase: !express.enabled('case sensitive routing'),
    });
    const hasPage = serveConsole(express, { directory, prefix });
    return { steps: [step], home: hasPage ? 'console/' : undefined };
  },
});
