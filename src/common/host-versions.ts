import { OperatorError } from './operator-error.ts';
import { isInRange, madeWith } from './version.ts';
import common from '@nestjs/common/package.json' with { type: 'json' };
import core from '@nestjs/core/package.json' with { type: 'json' };
import platform from '@nestjs/platform-express/package.json' with { type: 'json' };

/**
 * Requires what the application has installed to be compatible with what the library was made with, in
 * words that an operator understands before anything else can fail.
 * @throws OperatorError that names what is too old or too new
 */
export function requireHostVersions(
  installed: readonly { name: string; version: string }[] = [common, core, platform],
): void {
  for (const { name, version } of installed) {
    const range = `^${madeWith(name)}`;
    if (isInRange(version, range)) continue;
    throw new OperatorError(
      `user-group-service needs ${name} ${range}, and the application has ${version}.`,
    );
  }
}
