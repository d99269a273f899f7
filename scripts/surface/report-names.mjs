/** The end of the name of each API report. */
export const REPORT = '.api.md';

const PACKAGE = 'user-group-service';

/** The report of an entry of the package, such as `./testing`, without the ending. */
export function reportOf(entry) {
  return entry === '.' ? PACKAGE : entry.replace('./', '');
}

/** The entry points of an application, by the file names of their reports. */
export function importOf(report) {
  const name = report.slice(0, -REPORT.length);
  return name === PACKAGE ? PACKAGE : `${PACKAGE}/${name}`;
}
