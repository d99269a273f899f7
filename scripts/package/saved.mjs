/** Where the manifest of the service lies while a package is made. */
export const SAVED = 'package.json.of-the-service';
