/** JSON that is text already, and is sent unchanged. */
export class JsonText {
  constructor(readonly text: string) {}

  /** For code that does not know this class. */
  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}
