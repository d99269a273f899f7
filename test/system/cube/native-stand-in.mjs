import { Buffer } from 'node:buffer';

// Stands in for `@cubejs-backend/native`, whose binary is no package of npm: Cube gets it from the releases of its repository.
// It has no logger and no Jinja, and does the last step of a result, in which columns get the names of members. All that
// decides about tenants is code of Cube.

function rowsOf(bytes) {
  const { members, columns } = JSON.parse(Buffer.from(bytes).toString());
  const [first = []] = columns;
  return first.map((_value, row) => members.map((alias, column) => [alias, columns[column][row]]));
}

function dataOf(bytes, { aliasToMemberNameMap: members, annotation }) {
  return rowsOf(bytes).map((row) =>
    Object.fromEntries(
      row.map(([alias, value]) => {
        const member = members[alias];
        if (!Object.hasOwn(annotation, member)) throw new Error(`hidden member: ${member}`);
        return [member, value];
      }),
    ),
  );
}

const bytesOf = (value) => Buffer.from(JSON.stringify(value));

export const setupLogger = () => undefined;
export const resetLogger = () => undefined;
export const isFallbackBuild = () => true;
export const newJinjaEngine = () => ({});

export async function getFinalQueryResult(transform, bytes, result) {
  return bytesOf({ ...result, data: dataOf(bytes, transform) });
}

export async function getFinalQueryResultMulti(transforms, list, response) {
  const results = response.results.map((result, index) => ({
    ...result,
    data: dataOf(list[index], transforms[index]),
  }));
  return bytesOf({ ...response, results });
}
