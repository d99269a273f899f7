import { contentOf } from '../durability/operations.mjs';

// The requests of a client that change nothing. Each knows the response that it must get, like the writes of
// `test/system/durability`.

/** A body with the id alone. */
export class LookUp {
  kind = 'lookUps';
  method = 'GET';
  changes = false;

  constructor(group) {
    this.group = group;
    this.body = { user_group_id: group.id };
  }

  acknowledge({ status, body }) {
    const { id, version, token } = this.group;
    if (status !== 200) throw new Error(`was answered ${status} ${body.code}`);
    const { user_group: found } = body;
    if (found.token !== token) throw new Error('was answered with another token than the current');
    if (found.name !== contentOf(id, version).name) {
      throw new Error('was answered with an old name');
    }
  }
}

/** The current token, whose group may be remembered for less than a second. */
export class Introspection {
  kind = 'introspections';
  method = 'POST';
  path = '/api/v1/introspect';
  changes = false;

  constructor(group) {
    this.group = group;
    this.body = { token: group.token };
  }

  acknowledge({ status, body }) {
    if (status !== 200) throw new Error(`was answered ${status} ${body.code}`);
    if (!body.active || body.sub !== this.group.id) throw new Error('was answered as not active');
  }
}
