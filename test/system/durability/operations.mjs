// The requests of a client, and the facts that it may believe afterwards. Each operation knows its request and takes
// the response. Without a response, the content of the restarted service settles the operation.

/** A group as its only client knows it: the version of its content and every token it has had. */
export class Group {
  /** 0 until it is known to exist. */
  version = 0;
  teamId;
  /** In the order of their generations; the last one is current. */
  tokens = [];

  constructor(id) {
    this.id = id;
  }

  get token() {
    return this.tokens.at(-1);
  }
}

/** Name, properties and mapping of one version; no two versions share any of them. */
export function contentOf(id, version) {
  return {
    name: `${id} v${version}`,
    properties: { version, region: `region-${version}`, limits: { seats: version } },
    mapping: { sales: `warehouse-${version}`, billing: version, [`only-in-${version}`]: 'archive' },
  };
}

export class Create {
  kind = 'creates';
  method = 'GET';

  constructor(group) {
    this.group = group;
    this.content = contentOf(group.id, 1);
    this.body = { user_group_id: group.id, ...this.content };
  }

  acknowledge(answer) {
    const { name, properties } = this.content;
    const { team_id, token } = userGroupOf(answer, this.group, { name, properties });
    this.adopt(team_id, token);
  }

  /** @param found the group as the restarted service answers it; undefined if there is none */
  settle(found) {
    if (found) this.adopt(found.team_id, found.token);
    return found !== undefined;
  }

  adopt(teamId, token) {
    Object.assign(this.group, { version: 1, teamId, tokens: [token] });
  }
}

export class Write {
  kind = 'writes';
  method = 'PUT';

  constructor(group) {
    this.group = group;
    this.version = group.version + 1;
    this.content = contentOf(group.id, this.version);
    this.body = { user_group_id: group.id, ...this.content };
  }

  acknowledge(answer) {
    const { teamId, token } = this.group;
    userGroupOf(answer, this.group, { team_id: teamId, token, name: this.content.name });
    this.group.version = this.version;
  }

  /** Only the name tells; whether properties and mapping agree with it is compared afterwards. */
  settle(found) {
    const applied = found?.name === this.content.name;
    if (applied) this.group.version = this.version;
    return applied;
  }
}

export class Rotation {
  kind = 'rotations';
  method = 'POST';

  constructor(group) {
    this.group = group;
    this.body = { current_token: group.token };
  }

  acknowledge(answer) {
    const { id, teamId, version, tokens } = this.group;
    const { name } = contentOf(id, version);
    const { token } = userGroupOf(answer, this.group, { team_id: teamId, name });
    if (tokens.includes(token)) throw new Error('was answered with a token the group had before');
    tokens.push(token);
  }

  settle(found) {
    const applied = found !== undefined && found.token !== this.group.token;
    if (applied) this.group.tokens.push(found.token);
    return applied;
  }
}

/** The `user_group` of an answer that says what it has to say. */
function userGroupOf({ status, body }, { id }, wanted) {
  if (status !== 200 || body.success !== 1) throw new Error(`was answered ${status} ${body.code}`);
  for (const [field, value] of Object.entries({ provided_id: id, ...wanted })) {
    if (JSON.stringify(body.user_group[field]) !== JSON.stringify(value)) {
      throw new Error(`was answered with another ${field} than it has to be`);
    }
  }
  return body.user_group;
}
