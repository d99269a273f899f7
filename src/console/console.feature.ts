import { defineFeature } from '../common/extension/feature.ts';
import { ConsoleModule } from './console.module.ts';
import { ConsoleSession } from './session/console-session.entity.ts';

export const operatorConsole = defineFeature({ name: 'console', modules: [ConsoleModule], entities: [ConsoleSession] });
