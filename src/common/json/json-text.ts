/** JSON that is text already, and is sent as it is. */
export class JsonText {
  constructor(readonly text: string) {}

  /** For whatever does not know it. */
  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}
