/** A query that says nothing about who is viewing, and still has no rows; `message` is for the viewer. */
export class QueryError extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}
