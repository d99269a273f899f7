import { OperatorError } from '../../platform/common/problem/operator-error.ts';
import { isInRange, madeWith } from '../../platform/common/version.ts';
import common from '@nestjs/common/package.json' with { type: 'json' };
import core from '@nestjs/core/package.json' with { type: 'json' };
import platform from '@nestjs/platform-express/package.json' with { type: 'json' };

/**
 * Requires compatible versions of the packages installed in the application, before anything else can fail.
 * @throws OperatorError that names the incompatible package
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
