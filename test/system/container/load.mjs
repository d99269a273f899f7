import { performance } from 'node:perf_hooks';

const CLIENTS = 16;

/** Clients that create, look up, introspect and rotate, one call after the other, for some seconds. */
export async function runLoad(service, token, seconds) {
  const result = { calls: 0, failures: [] };
  const deadline = performance.now() + seconds * 1000;
  const client = async (number) => {
    for (let round = 0; performance.now() < deadline; round++) {
      for (const failure of await oneRound(
        service,
        token,
        `client ${number}, group ${round}`,
        result,
      )) {
        result.failures.push(failure);
        // A service that does not respond would get calls as fast as this machine can make them.
        if (result.failures.length >= CLIENTS) return;
      }
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
  return result;
}

async function oneRound(service, token, id, result) {
  const call = async (method, body, path = '/api/user') => {
    const answer = await service.call(method, path, { token, body });
    result.calls++;
    if (answer.status !== 200) throw new Error(`${method} ${path} answers ${answer.status}`);
    return answer.body;
  };
  try {
    const properties = { text: 'x'.repeat(4000) };
    const { user_group } = await call('GET', { user_group_id: id, name: id, properties });
    await call('GET', { user_group_id: id });
    await call('POST', { token: user_group.token }, '/api/v1/introspect');
    const rotated = await call('POST', { current_token: user_group.token });
    const { active } = await call(
      'POST',
      { token: rotated.user_group.token },
      '/api/v1/introspect',
    );
    return active ? [] : ['a token is not active right after its rotation'];
  } catch (error) {
    return [error.message || error.code];
  }
}
