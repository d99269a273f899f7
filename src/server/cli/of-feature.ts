import type { Command } from 'commander';
import type { Feature } from '../app/features.ts';
import { OperatorError } from '../../platform/common/problem/operator-error.ts';
import { configure } from './configure.ts';

/** Refuses the command, and those below it, where `FEATURES` leaves out its feature. */
export function ofFeature(feature: Feature, command: Command): Command {
  return command.hook('preAction', async () => {
    const config = await configure({ needsKeys: false });
    const { chooseFeatures, servedChoice } = await import('../app/features.ts');
    if (chooseFeatures(servedChoice(config)).some(({ name }) => name === feature)) return;
    throw new OperatorError(
      `The command ${command.name()} belongs to the feature ${feature}, which FEATURES leaves out.`,
    );
  });
}
