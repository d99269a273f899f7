import type { Command } from 'commander';
import { describeOpenApi } from '../docs/openapi.ts';

/** Defines `openapi`. */
export function defineOpenApi(openapi: Command): void {
  openapi.action(async () => {
    console.log(JSON.stringify(await describeOpenApi(), null, 2));
  });
}
