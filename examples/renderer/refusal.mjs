/** The reason for refusing a query: `message` is for the viewer, `cause` for the log. */
export class Refusal extends Error {
  constructor(status, code, message, options) {
    super(message, options);
    this.status = status;
    this.code = code;
  }
}
