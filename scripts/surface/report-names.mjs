/** How the name of each API report ends. */
export const REPORT = '.api.md';

const PACKAGE = 'user-group-service';

/** The report of an entry of the package, such as `./testing`, without the ending. */
export function reportOf(entry) {
  return entry === '.' ? PACKAGE : entry.replace('./', '');
}

/** What an application imports, by the file name of its report. */
export function importOf(report) {
  const name = report.slice(0, -REPORT.length);
  return name === PACKAGE ? PACKAGE : `${PACKAGE}/${name}`;
}
