import { Callers } from '../lab/callers.mjs';

/** A step that reaches every group of a caller before it comes back, unless it divides their number. */
const STRIDE = 7919;

/**
 * Callers that look up, rotate and create, each on groups that no other touches. `tokens` keeps the tokens of their
 * responses.
 */
export class Load extends Callers {
  constructor(url, tokens, callers) {
    super(url);
    this.tokens = tokens;
    this.ids = [...tokens.keys()];
    this.callers = callers;
    this.start(callers);
  }

  async run(caller) {
    for (let turn = 0; !this.isOver; turn++) {
      const seen = this.pick(caller, 2 * turn);
      if ((await this.token('GET', { user_group_id: seen })) !== this.tokens.get(seen)) {
        throw new Error(`a look-up of "${seen}" gave another token`);
      }
      const rotated = this.pick(caller, 2 * turn + 1);
      const current_token = this.tokens.get(rotated);
      this.tokens.set(rotated, await this.token('POST', { current_token }));
      const made = `made by ${caller} in turn ${turn}`;
      this.tokens.set(made, await this.token('GET', { user_group_id: made, name: 'Made' }));
    }
  }

  pick(caller, turn) {
    const own = Math.floor(this.ids.length / this.callers);
    return this.ids[((turn * STRIDE) % own) * this.callers + caller];
  }

  async token(method, body) {
    return (await this.call(method, body)).user_group.token;
  }
}
