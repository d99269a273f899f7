/** The place of the service's manifest while a package is made. */
export const SAVED = 'package.json.of-the-service';
