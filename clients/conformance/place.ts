/** The form of an address, and the fault of a text of another form. */
const HTTP = { is: /^https?:\/\/[^/]/, told: 'must begin with http:// or https://' };

/** A place of the file: takes its members one by one, and reports the rest. */
export class Place {
  readonly isThere: boolean;
  readonly path: string;
  readonly faults: string[];
  readonly #members: Map<string, unknown>;

  constructor(value: unknown, path: string, faults: string[], isRequired = true) {
    this.path = path;
    this.faults = faults;
    this.isThere = value !== undefined;
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (!isObject && (isRequired || this.isThere)) faults.push(`${path || '/'} must be an object`);
    this.#members = new Map(isObject ? Object.entries(value) : []);
  }

  fault(name: string, text: string): void {
    this.faults.push(`${this.path}${name === '' ? '' : `/${name}`} ${text}`);
  }

  take(name: string): unknown {
    const value = this.#members.get(name);
    this.#members.delete(name);
    return value;
  }

  /** Takes all members. */
  entries(): [string, unknown][] {
    const entries = [...this.#members];
    this.#members.clear();
    return entries;
  }

  object(name: string, isRequired: boolean): Place {
    return new Place(this.take(name), `${this.path}/${name}`, this.faults, isRequired);
  }

  list(name: string, isRequired: boolean): Place[] {
    const value = this.take(name);
    if (!Array.isArray(value)) {
      if (isRequired) this.fault(name, 'must be a list');
      return [];
    }
    return value.map((one, index) => new Place(one, `${this.path}/${name}/${index}`, this.faults));
  }

  text(name: string, isRequired = false): string | undefined {
    const value = this.take(name);
    if (typeof value === 'string' && value !== '') return value;
    if (isRequired || value !== undefined) this.fault(name, 'must be a text');
    return undefined;
  }

  url(name: string, { is, told } = HTTP): string {
    const text = this.text(name, true) ?? '';
    if (text !== '' && !is.test(text)) this.fault(name, told);
    return text;
  }

  dataSource(): string | number {
    const value = this.take('data_source');
    if (typeof value === 'string' || Number.isInteger(value)) return value as string | number;
    this.fault('data_source', 'must be a text or an integer');
    return '';
  }

  texts(name: string, atLeast: number): string[] {
    const value = this.take(name) ?? [];
    const isList =
      Array.isArray(value) && value.every((one) => typeof one === 'string' && one !== '');
    if (!isList || value.length < atLeast) {
      this.fault(name, `must be a list of texts${atLeast > 0 ? ', with one at least' : ''}`);
    }
    return isList ? (value as string[]) : [];
  }

  record(name: string): Record<string, unknown> {
    const value = this.take(name) ?? {};
    if (typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
    this.fault(name, 'must be an object');
    return {};
  }

  textRecord(name: string): Record<string, string> {
    const value = this.record(name);
    for (const [key, one] of Object.entries(value)) {
      if (typeof one !== 'string') this.fault(`${name}/${key}`, 'must be a text');
    }
    return value as Record<string, string>;
  }

  body(): string | object | undefined {
    const value = this.take('body');
    if (
      value === undefined ||
      typeof value === 'string' ||
      (typeof value === 'object' && value !== null)
    ) {
      return value;
    }
    this.fault('body', 'must be a text or an object');
    return undefined;
  }

  seconds(name: string, usual: number): number {
    const value = this.take(name) ?? usual;
    if (typeof value === 'number' && value >= 0) return value;
    this.fault(name, 'must be a number of seconds');
    return usual;
  }

  statuses(name: string): number[] | undefined {
    const value = this.take(name);
    if (value === undefined) return undefined;
    if (Array.isArray(value) && value.every((one) => Number.isInteger(one))) {
      return value as number[];
    }
    this.fault(name, 'must be a list of HTTP statuses');
    return undefined;
  }

  flag(name: string): boolean {
    const value = this.take(name) ?? false;
    if (typeof value !== 'boolean') this.fault(name, 'must be true or false');
    return value === true;
  }

  /** Reports members that nothing has taken. */
  end(): void {
    for (const name of this.#members.keys()) this.fault(name, 'is unknown');
  }
}
