// Adds the settings of the features.
import '../../../src/server/app/catalogues.ts';
import { Config } from '../../../src/platform/config/config.ts';
import { ownSettings } from '../../../src/platform/config/settings.ts';
import { variablesOf } from '../../../src/platform/config/variable.ts';

const classes = [Config, ...ownSettings];

/** The variables of the service and its features, in the order of the documents. */
export const variables = classes.flatMap(variablesOf);

/** The default of each property. */
export const defaults = Object.assign({}, ...classes.map((type) => new type())) as Record<
  string,
  unknown
>;
