/** A query that says nothing about who is viewing, and has no rows all the same; `message` is for the viewer. */
export class QueryError extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}
