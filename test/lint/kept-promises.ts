// Cases that the rule `kept-promises` must report, and cases it must not. A directive that switches off nothing fails
// the lint, so each of them shows that the rule finds the line below it.

type Task = () => Promise<string>;

export class Keeper {
  private readonly byName = new Map<string, Promise<string>>();
  private last: Promise<string> | undefined;

  async inAVariable(first: Task, second: Task): Promise<string[]> {
    // eslint-disable-next-line local/kept-promises
    const kept = first();
    const other = await second();
    return [await kept, other];
  }

  async inAnArray(tasks: Task[], other: Task): Promise<string[]> {
    // eslint-disable-next-line local/kept-promises
    const kept = tasks.map((task) => task());
    await other();
    return Promise.all(kept);
  }

  inAnOutcome(task: Task): { value: Promise<string> } {
    // eslint-disable-next-line local/kept-promises
    return { value: task() };
  }

  inAMember(task: Task): void {
    // eslint-disable-next-line local/kept-promises
    this.last ??= task();
    // eslint-disable-next-line local/kept-promises
    this.byName.set('one', task());
  }

  /** Each has a handler before anything else is awaited. */
  async handledInTime(first: Task, second: Task): Promise<string[]> {
    const one = first();
    const two = second();
    const both = await Promise.all([one, two]);
    this.last = second().then(
      (text) => text,
      () => 'none',
    );
    const only = await first();
    return [...both, only];
  }
}
